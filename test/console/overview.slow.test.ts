import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { noCounts } from '../../src/model/statistics.ts';
import { type Endpoint, openEndpoint } from '../emulators/endpoint.ts';
import { CHROMIUM, assertFaultless } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { until } from '../support/until.ts';

describe('console: overview', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let endpoint: Endpoint;
  before(async () => {
    console = await openConsole();
    endpoint = await openEndpoint();
  });
  after(async () => {
    await console[Symbol.asyncDispose]();
    await endpoint.close();
  });

  const sum = async (id: number) =>
    (await console.service.api.get(`/1/statistics?application_id=${id}`)).body.total;

  /** An application whose web chat sent and failed this many messages. */
  async function make(name: string, sent: number, failed: number) {
    const { application, app } = await console.service.application({ name });
    const id = Number(application.id);
    const chat = async (fields: Record<string, string>) => {
      const asked = { application_id: id, name: 'webmessenger', state: 'enable', ...fields };
      return Number((await app.post('/1/integrations', asked)).body.id);
    };
    const [known, unknown] = [
      await chat({ secret: 'not-a-secret-but-long-enough-for-one' }),
      await chat({}),
    ];
    for (let i = 0; i < sent + failed; i++) {
      const generator = { type: 'Service', id: String(i < sent ? known : unknown) };
      const to = { type: 'Person', id: `visitor-${i}` };
      const object = { type: 'Note', content: 'Hello' };
      const context = 'https://www.w3.org/ns/activitystreams';
      const message = { '@context': context, type: 'Create', generator, to, object };
      await app.post('/1/message', { message });
    }
    await until('all are counted', async () => {
      const total = await sum(id);
      return total.sent === sent && total.failed === failed;
    });
    return { id, path: `/app/applications/${id}/overview` };
  }

  it('an application in the sandbox shows its figures and costs', async () => {
    const { application, app } = await console.service.application({ name: 'sandbox-figures' });
    const fields = { application_id: application.id, name: 'whatsapp', state: 'enable' };
    const { body: integration } = await app.post('/1/integrations', { ...fields, mode: 'sandbox' });
    const { body: sent } = await app.post('/1/message', {
      message: {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service', id: integration.id },
        to: { type: 'Person', id: '16505551234' },
        object: { type: 'Note', content: 'Hello' },
      },
    });
    await until('the cost is counted', async () => {
      const { body } = await app.get('/1/statistics?mode=sandbox');
      return body.costs.length === 1 && body.total.accepted === 1;
    });
    const path = `/app/applications/${application.id}`;
    await using visit = await console.open(`${path}/overview`, LIGHT);
    const { page } = visit;
    await page.getByTestId('costs').getByRole('cell', { name: 'utility' }).waitFor();
    await page.locator('input[value="sandbox"]:checked').waitFor();
    await page
      .getByTestId('by-channel')
      .getByRole('row', { name: /WhatsApp 1/ })
      .waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.locator('label:has(input[value="live"])').click();
    await page.getByTestId('costs').waitFor({ state: 'detached' });
    await page.goto(`${console.service.url}${path}/messages/${sent.id}`);
    await page.getByTestId('cost').getByText('utility').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('the overview shows the counts, charts and problems of an application', async () => {
    const { id, path } = await make('shop-messages', 3, 2);
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    const problems = page.locator('[data-kind="messages_failed"]');
    await problems.getByText(/^2 .*Web Messenger/).waitFor();
    await page.getByTestId('problem-count').first().waitFor();
    const figure = (name: string) =>
      page.locator('dl > div', { hasText: name }).getByTestId('figure');
    await until('the figures', async () => (await figure('Accepted').textContent()) === '5');
    assert.equal(await figure('Sent').textContent(), '3');
    assert.equal(await figure('Failed').textContent(), '2');
    await page.getByRole('row', { name: /Web Messenger 5 3 0 2/ }).waitFor();
    await page
      .getByRole('figure', { name: /^Messages by/ })
      .locator('canvas')
      .waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.locator('label:has(input[value="7d"])').click();
    await page.getByLabel('Channel', { exact: true }).selectOption('webmessenger');
    await page.waitForURL('**/overview?range=7d&channel=webmessenger');
    await page.getByRole('row', { name: /Web Messenger 5 3 0 2/ }).waitFor();
    await problems.getByRole('link').click();
    await page.waitForURL(`**/app/applications/${id}/messages?state=failed&integration=*`);
    assertFaultless(visit);
  });

  /** An application with 100 sent messages two hours ago, and 50 a day before that. */
  async function makeHistory() {
    const { application } = await console.service.application({ name: 'with-history' });
    const id = Number(application.id);
    const hour = 3_600_000;
    const rows = [
      [2, 100],
      [26, 50],
    ].map(([hours = 0, sent = 0]) => {
      const at = Date.now() - hours * hour;
      const counts = { accepted: sent, sent, latency3: sent };
      const row = {
        applicationId: id,
        integrationId: 1,
        channel: 'telegram',
        sandbox: 0 as const,
        lastSentAt: at,
      };
      const time = { step: 'hour' as const, at: at - (at % hour) };
      return Object.assign(noCounts(), row, counts, time);
    });
    await console.service.store.statistics.add(rows);
    return id;
  }

  it('the overview compares with the period before, and a point leads to its messages', async () => {
    const id = await makeHistory();
    await using visit = await console.open(`/app/applications/${id}/overview`, LIGHT);
    const { page } = visit;
    const accepted = page.locator('dl > div', { hasText: 'Accepted' });
    await accepted.getByTestId('change').getByText('100% more').waitFor();
    const chart = page.getByRole('figure', { name: /^Messages by/ });
    await chart.locator('canvas').waitFor();
    const bottom = (await chart.boundingBox()) ?? { y: 0, height: Infinity };
    assert.ok(bottom.y + bottom.height <= 900, 'the chart is above the fold');
    await page.getByRole('figure', { name: /p50, p95 and p99$/ }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await chart.locator('.u-over').click();
    await page.waitForURL(`**/applications/${id}/messages?after=*&before=*`);
    const { searchParams } = new URL(page.url());
    const [from, to] = ['after', 'before'].map((name) => `${searchParams.get(name) ?? ''}Z`);
    assert.equal(Date.parse(to ?? '') - Date.parse(from ?? ''), 3_600_000);
    await page.getByTestId('no-match').waitFor();
    assertFaultless(visit);
  });

  it('refused credentials lead to the form that fixes them', async () => {
    const { application, app } = await console.service.application({ name: 'refused-credentials' });
    const asked = { application_id: application.id, name: 'gotify', state: 'enable' };
    const fields = { address: 'http://127.0.0.1:9', token: 'fake-token' };
    const { id } = (await app.post('/1/integrations', { ...asked, ...fields })).body;
    await console.service.store.engine.db
      .updateTable('ownerships')
      .set({ pausedReason: 'credentials', failingSince: Date.now() })
      .where('integrationId', '=', Number(id))
      .execute();
    const path = `/app/applications/${application.id}/overview`;
    await using visit = await console.open(path, DARK_PHONE);
    const { page } = visit;
    await page.getByTestId('header-application').getByText('refused-credentials').waitFor();
    await page.getByTestId('problem-link').waitFor();
    const group = page.locator(`[data-group="${application.id}-${id}"]`);
    await group.locator('[data-kind="integration_refused"]').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await group.getByRole('link').click();
    await page.waitForURL(`**/integrations/${id}#credentials`);
    await app.delete(`/1/integrations/${id}`);
    assertFaultless(visit);
  });

  for (const [where, options] of [
    ['light, desktop', LIGHT],
    ['dark, phone', DARK_PHONE],
  ] as const) {
    it(`the chart shows 3 failed messages beside 100,000 accepted ones (${where})`, async () => {
      const { application } = await console.service.application();
      const id = Number(application.id);
      const at = Date.now() - 30 * 60_000;
      const row = {
        applicationId: id,
        integrationId: 1,
        channel: 'telegram',
        sandbox: 0 as const,
        lastSentAt: at,
      };
      const counts = { accepted: 100_000, sent: 99_997, latency3: 99_997, failed: 3 };
      await console.service.store.statistics.add([
        { ...row, ...noCounts(), ...counts, step: 'minute', at: at - (at % 60_000) },
        { ...row, ...noCounts(), ...counts, step: 'hour', at: at - (at % 3_600_000) },
      ]);
      const path = `/app/applications/${id}/overview?range=1h`;
      await using visit = await console.open(path, options);
      const figure = visit.page.getByRole('figure', { name: /^Failure rate/ });
      await figure.locator('canvas').waitFor();
      // At least 2 × 2 pixels of the screen in the color of the legend.
      await until(
        'the bars are drawn',
        async () => (await visit.page.evaluate<number>(INK_OF_FAILED)) >= 4,
      );
      assert.deepEqual(await axeFaults(visit.page), []);
      assertFaultless(visit);
    });
  }

  it('the team overview shows all applications, with problems first', async () => {
    const { id } = await make('quiet-newsletter', 1, 0);
    await console.service.api.put(`/1/applications/${id}`, { webhook_url: `${endpoint.url}/x` });
    endpoint.react = () => ({ status: 410 });
    await console.service.store.events.append([
      { applicationId: id, type: 'message.sent', data: '{}', media: null, createdAt: Date.now() },
    ]);
    await until('it is paused', async () => {
      const { body } = await console.service.api.get('/1/overview');
      return body.problems[0]?.kind === 'webhook_paused';
    });
    await using visit = await console.open('/app/overview', DARK_PHONE);
    const { page } = visit;
    await page
      .locator('[data-group]', { hasText: 'quiet-newsletter' })
      .locator('[data-kind="webhook_paused"]')
      .waitFor();
    const problems = page.locator('li[data-kind]');
    assert.match((await problems.first().textContent()) ?? '', /answered 410/);
    await page.getByTestId('by-application').getByText('quiet-newsletter').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await problems.first().getByRole('link').click();
    await page.waitForURL(`**/app/applications/${id}/settings/webhook`);
    assertFaultless(visit);
  });

  it('an overview without messages or problems says so', async () => {
    const { application } = await console.service.application();
    await using visit = await console.open(`/app/applications/${application.id}/overview`, LIGHT);
    await visit.page.getByTestId('no-problems').waitFor();
    await visit.page.getByTestId('no-traffic').waitFor();
    // Without data there is no axis.
    await until('all charts are empty', async () => {
      return (await visit.page.getByTestId('empty-chart').count()) === 3;
    });
    assert.equal(await visit.page.locator('canvas').count(), 0);
    assert.deepEqual(await axeFaults(visit.page), []);
    assertFaultless(visit);
  });
});

/** Number of pixels in the chart of failed messages that have the color of its legend. */
const INK_OF_FAILED = `(() => {
  const figure = document.querySelector('figure[aria-label^="Failure rate"]');
  const pixels = (canvas) =>
    canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const sample = new OffscreenCanvas(1, 1);
  const context = sample.getContext('2d');
  context.fillStyle = getComputedStyle(figure.querySelector('[data-line]')).color;
  context.fillRect(0, 0, 1, 1);
  const wanted = pixels(sample);
  const found = pixels(figure.querySelector('canvas'));
  let count = 0;
  for (let i = 0; i < found.length; i += 4) {
    if (wanted.every((part, j) => Math.abs(part - found[i + j]) < 8)) count++;
  }
  return count;
})()`;
