import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { loadSimulator } from '../../../src/sandbox/index.ts';
import { firstRecipient, isReported } from '../../../src/sandbox/simulator.ts';
import { CHROMIUM, assertFaultless } from '../../support/programs/browser.ts';
import { LIGHT, type TestConsole, openConsole } from '../../support/programs/console.ts';
import { until } from '../../support/until.ts';

/* The phone runs nothing that a message or a file contains, and loads nothing from elsewhere. */

const HTML =
  '<b>Marker</b><img src=x onerror="hit=1"><script>hit=2</script><svg onload="hit=3"></svg><iframe srcdoc="<script>parent.hit=4</script>"></iframe><a href="javascript:hit=5">go</a><a href="data:text/html,<script>hit=6</script>">go</a>';
const MARKDOWN =
  '**Marker** [go](javascript:hit=7) [go](data:text/html;base64,PHNjcmlwdD4=) ![x](javascript:hit=8) <img src=x onerror=hit=9> [go](https://elsewhere.example/"onmouseover="hit=10)';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="parent.hit=11"><script>parent.hit=12</script><image href="https://elsewhere.example/a.png"/></svg>`;
const NAME = '"><img src=x onerror=hit=13>.svg';

const MESSAGES = [
  { type: 'Note', mediaType: 'text/html', content: HTML },
  { type: 'Note', mediaType: 'text/markdown', content: MARKDOWN },
  { type: 'Note', name: HTML, content: `Marker ${HTML}` },
  { type: 'Image', url: 'https://elsewhere.example/a.svg', name: NAME, content: 'Marker' },
  {
    type: 'Note',
    content: 'Marker',
    attachment: [
      { type: 'Button', name: '<img src=x onerror=hit=14>', value: 'x' },
      { type: 'Link', name: 'Marker', url: 'https://elsewhere.example/"><script>hit=15</script>' },
    ],
  },
];

describe('console: hostile content on the phone', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole({ SWITCHBOARD_ROLE: 'all', SWITCHBOARD_ALLOW_LOOPBACK: 'off' });
  });
  after(() => console[Symbol.asyncDispose]());

  for (const channel of ['discord', 'email', 'line', 'matrix', 'slack', 'telegram', 'webex']) {
    it(`${channel} runs and loads nothing`, async () => {
      const simulator = (await loadSimulator(channel)) ?? assert.fail(channel);
      const { application, app } = await console.service.application({ name: 'hostile' });
      const { body: integration } = await app.post('/1/integrations', {
        application_id: application.id,
        name: channel,
        state: 'enable',
        mode: 'sandbox',
      });
      const messages = MESSAGES.map((object) => ({
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service', id: integration.id },
        to: { type: 'Person', id: firstRecipient(simulator) },
        object,
      }));
      const sent = await app.post('/1/messages', { messages });
      assert.equal(sent.status, 202, sent.text);
      const sandbox = `/1/sandbox/${integration.id}`;
      if (isReported(simulator, 'message')) {
        const data = Buffer.from(SVG).toString('base64');
        const media = { type: 'Image', data, media_type: 'image/svg+xml', name: NAME };
        const replied = await app.post(`${sandbox}/reply`, { text: HTML, media });
        assert.equal(replied.status, 200, replied.text);
      }
      await until('all are settled', async () => {
        const { body } = await app.get('/1/messages?limit=10');
        return body.data.every(({ state }: { state: string }) => !/queued|sending/.test(state));
      });
      const path = `/app/applications/${application.id}/integrations/${integration.id}/phone`;
      await using visit = await console.open(path, LIGHT);
      const { page } = visit;
      const requested: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      const { body: phone } = await app.get(`${sandbox}/messages`);
      await until('all are shown', async () => {
        const bubbles = page.locator('[data-testid=received], [data-testid=written]');
        return (await bubbles.count()) >= phone.data.length;
      });
      assert.equal(await page.evaluate('window.hit'), undefined);
      const unsafe = 'main script, main iframe, main [onerror], main [onload], main object';
      assert.equal(await page.locator(unsafe).count(), 0);
      for (const link of await page.locator('main a').all()) {
        assert.match((await link.getAttribute('href')) ?? '', /^(?:https?:|mailto:|tel:|\/)/);
      }
      for (const image of await page.locator('main img').all()) {
        assert.match((await image.getAttribute('src')) ?? '', /^(?:data:|\/)/);
      }
      const own = new URL(console.service.url).origin;
      const elsewhere = requested.filter((url) => !url.startsWith(own) && !url.startsWith('data:'));
      assert.deepEqual(elsewhere, []);
      assertFaultless(visit);
    });
  }
});
