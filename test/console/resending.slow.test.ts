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
import { multiply, scrollThrough } from '../support/programs/long-log.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { until } from '../support/until.ts';

/* Very many messages in the console: going through them, and sending many again. */

const MANY = 100_000;
const FAILED = 120;

describe('very many messages in the console', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  /** An application with an integration that knows no visitor, so that whatever it sends fails. */
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

  it('are gone through to the last of 100,000, with a few rows on the page at any time', async () => {
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
    let most = 0;
    const seen = new Map<number, number>();
    await scrollThrough(page, ({ rows }) => {
      most = Math.max(most, rows.length);
      for (const { index, number } of rows) seen.set(index, number);
    });
    await page.getByText(`${MANY.toLocaleString('en')} in all`).waitFor();
    assert.ok(most > 20 && most < 80, `${most} rows on the page`);
    // The message that was there first is the newest; all others follow it from the last one down.
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

  it('are sent again by a filter, which says what it will do and how far it has come', async () => {
    const { app, id } = await make('much-to-resend');
    await post(
      app,
      Array.from({ length: FAILED }, (_, i) => `Try ${i}`),
    );
    await until('all fail', async () => (await counts(app, 'failed')) === FAILED);
    await using visit = await console.open(`/app/applications/${id}/messages`, LIGHT);
    const { page } = visit;
    await page.getByText(`Try ${FAILED - 1}`).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Resend these/ }).count(), 0);
    await page.goto(`${console.service.url}/app/applications/${id}/messages?state=failed,sent`);
    await page.getByRole('button', { name: `Resend these ${FAILED}` }).click();
    await page.getByRole('heading', { name: `Send ${FAILED} messages again?` }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('button', { name: `Resend ${FAILED} messages` }).click();
    await page.waitForURL('**/messages/jobs/*');
    await page.getByText('Done').waitFor();
    await page.getByText(`${FAILED} of ${FAILED} messages`).waitFor();
    const { body: jobs } = await app.get('/1/jobs');
    assert.deepEqual(jobs.data[0].filter, { state: 'failed' });
    assert.equal(jobs.data[0].done, FAILED);
    await page.reload();
    await page.getByText(`${FAILED} of ${FAILED} messages`).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('are left alone once that is stopped, whoever began it', async () => {
    const { app, id } = await make('stop-in-time');
    const { store } = console.service;
    // It is begun and goes no further: as of a node that lives, and has much else to do.
    const { claim } = store.jobs;
    store.jobs.claim = async () => [];
    await post(app, ['Try', 'Try again']);
    await until('both fail', async () => (await counts(app, 'failed')) === 2);
    const { body: job } = await app.post('/1/messages/resend', { filter: { state: 'failed' } });
    await using visit = await console.open(`/app/applications/${id}/messages`, DARK_PHONE);
    const { page } = visit;
    await page.getByText('Messages are being sent again').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('link', { name: 'Follow it' }).click();
    await page.getByRole('heading', { name: `Resend ${job.id}` }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    store.jobs.claim = claim.bind(store.jobs);
    assert.equal((await app.get(`/1/jobs/${job.id}`)).body.state, 'canceled');
    assert.equal(await counts(app, 'failed'), 2);
    assertFaultless(visit);
  });
});
