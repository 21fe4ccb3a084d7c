import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CHROMIUM, assertFaultless } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { multiply, scrollCost, scrollThrough } from '../support/programs/long-log.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { until } from '../support/until.ts';

/* Long message logs, and resending in bulk. */

const MANY = 100_000;
const FAILED = 120;

describe('console: long message logs', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  /** An application whose web chat has no visitors, so that all its messages fail. */
  async function make(name: string): Promise<{ app: Client; id: number }> {
    const { application, app } = await console.service.application({ name });
    await integrate(app, application.id, { name: 'webmessenger', token: undefined });
    return { app, id: application.id };
  }

  const post = (app: Client, texts: readonly string[]) =>
    app.post('/1/messages', {
      messages: texts.map((content, i) => {
        const to = { type: 'Person', id: `guest${i}` };
        return message({ to, object: { type: 'Note', content } }).message;
      }),
    });

  const counts = async (app: Client, state: string) =>
    (await app.get(`/1/messages?state=${state}&limit=1000`)).body.data.length as number;

  it('100,000 messages scroll like 1,000, with few rows rendered at a time', async (t) => {
    const { app, id } = await make('a-long-log');
    await post(app, ['No. 0']);
    await until('it fails', async () => (await counts(app, 'failed')) === 1);
    await multiply(console.service.store, id, MANY);
    await using visit = await console.open(`/app/applications/${id}/messages`, LIGHT);
    const { page } = visit;
    const asked: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/1/messages') asked.push(url.searchParams.get('starting_after') ?? '');
    });
    await page.locator('li[data-index]').first().waitFor();
    const first = await scrollCost(page, 0);
    let maxRows = 0;
    const seen = new Map<number, number>();
    await scrollThrough(page, ({ rows }) => {
      maxRows = Math.max(maxRows, rows.length);
      for (const { index, number } of rows) seen.set(index, number);
    });
    await page.locator(`[data-testid="list-end"][data-count="${MANY}"]`).waitFor();
    assert.ok(maxRows > 20 && maxRows < 80, `${maxRows} rows on the page`);
    const later = await scrollCost(page, 1_000_000);
    t.diagnostic(
      `a frame costs ${first.toFixed(1)} ms at first, ${later.toFixed(1)} ms with all loaded`,
    );
    assert.ok(later < 2 * first + 5, `${later} ms instead of ${first}`);
    // The original message is the newest; its copies follow in descending order.
    for (const [index, number] of seen) assert.equal(number, index === 0 ? 0 : MANY - index);
    assert.ok(seen.size > 2_000, `${seen.size} places were looked at`);
    const cursors = asked.filter((cursor) => cursor !== '').map(Number);
    assert.deepEqual(
      cursors,
      [...new Set(cursors)].toSorted((a, b) => b - a),
      'each page once',
    );
    assert.ok(cursors.length <= MANY / 1_000 + 1, `${cursors.length} pages`);
    assertFaultless(visit);
  });

  it('filtered messages are resent in bulk, with a preview and progress', async () => {
    const { app, id } = await make('much-to-resend');
    await post(
      app,
      Array.from({ length: FAILED }, (_, i) => `Try ${i}`),
    );
    await until('all fail', async () => (await counts(app, 'failed')) === FAILED);
    await using visit = await console.open(`/app/applications/${id}/messages`, LIGHT);
    const { page } = visit;
    await page.getByText(`Try ${FAILED - 1}`).waitFor();
    assert.equal(await page.getByTestId('resend-many').count(), 0);
    await page.goto(`${console.service.url}/app/applications/${id}/messages?state=failed,sent`);
    await page.locator(`[data-testid="resend-many"][data-count="${FAILED}"]`).click();
    await page.getByTestId('confirm').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('confirm').click();
    await page.waitForURL('**/messages/jobs/*');
    await page.locator('h1 [data-state="done"]').waitFor();
    const progress = page.locator('[role="progressbar"][aria-valuenow="100"]');
    await progress.waitFor();
    const { body: jobs } = await app.get('/1/jobs');
    assert.deepEqual(jobs.data[0].filter, { state: 'failed' });
    assert.equal(jobs.data[0].done, FAILED);
    await page.reload();
    await progress.waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('a bulk resend started elsewhere is shown and can be stopped', async () => {
    const { app, id } = await make('stop-in-time');
    const { store } = console.service;
    // The job stays unclaimed, as on a busy node.
    const { claim } = store.jobs;
    store.jobs.claim = async () => [];
    await post(app, ['Try', 'Try again']);
    await until('both fail', async () => (await counts(app, 'failed')) === 2);
    const { body: job } = await app.post('/1/messages/resend', { filter: { state: 'failed' } });
    await using visit = await console.open(`/app/applications/${id}/messages`, DARK_PHONE);
    const { page } = visit;
    await page.getByTestId('resend-job').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('resend-job').getByRole('link').click();
    await page.waitForURL(`**/messages/jobs/${job.id}`);
    await page.getByTestId('stop').click();
    await page.getByTestId('confirm').click();
    await page.locator('h1 [data-state="canceled"]').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    store.jobs.claim = claim.bind(store.jobs);
    assert.equal((await app.get(`/1/jobs/${job.id}`)).body.state, 'canceled');
    assert.equal(await counts(app, 'failed'), 2);
    assertFaultless(visit);
  });
});
