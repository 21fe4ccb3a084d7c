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

  it('the overview shows the counts, charts and problems of an application', async () => {
    const { id, path } = await make('shop-messages', 3, 2);
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    const problems = page.locator('[data-kind="messages_failed"]');
    await problems.getByText(/^2 .*Web Messenger/).waitFor();
    const figure = (name: string) => page.locator('dl > div', { hasText: name }).locator('dd');
    await until('the figures', async () => (await figure('Accepted').textContent()) === '5');
    assert.equal(await figure('Sent').textContent(), '3');
    assert.equal(await figure('Failed').textContent(), '2');
    await page.getByRole('row', { name: /webmessenger 5 3 0 2/ }).waitFor();
    await page
      .getByRole('figure', { name: /^Messages by/ })
      .locator('canvas')
      .waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.locator('label:has(input[value="7d"])').click();
    await page.getByLabel('Channel', { exact: true }).selectOption('webmessenger');
    await page.waitForURL('**/overview?range=7d&channel=webmessenger');
    await page.getByRole('row', { name: /webmessenger 5 3 0 2/ }).waitFor();
    await problems.getByRole('link').click();
    await page.waitForURL(`**/app/applications/${id}/messages?state=failed&integration=*`);
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
      const row = { applicationId: id, integrationId: 1, channel: 'telegram', lastSentAt: at };
      const counts = { accepted: 100_000, sent: 99_997, latency3: 99_997, failed: 3 };
      await console.service.store.statistics.add([
        { ...row, ...noCounts(), ...counts, step: 'minute', at: at - (at % 60_000) },
        { ...row, ...noCounts(), ...counts, step: 'hour', at: at - (at % 3_600_000) },
      ]);
      const path = `/app/applications/${id}/overview?range=1h`;
      await using visit = await console.open(path, options);
      const figure = visit.page.getByRole('figure', { name: /^Failed/ });
      await figure.locator('canvas').waitFor();
      // At least 2 × 2 pixels of the screen in the colour of the legend.
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
      .locator('[data-kind="webhook_paused"]')
      .getByText(/^quiet-newsletter/)
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
    await until('both charts are empty', async () => {
      return (await visit.page.getByTestId('empty-chart').count()) === 2;
    });
    assert.equal(await visit.page.locator('canvas').count(), 0);
    assert.deepEqual(await axeFaults(visit.page), []);
    assertFaultless(visit);
  });
});

/** Number of pixels in the chart of failed messages that have the colour of its legend. */
const INK_OF_FAILED = `(() => {
  const figure = document.querySelector('figure[aria-label^="Failed"]');
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
