import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { SIMULATED_CHANNELS, loadSimulator } from '../../src/sandbox/index.ts';
import { ENTRY_KINDS } from '../../src/sandbox/shown.ts';
import { firstRecipient } from '../../src/sandbox/simulator.ts';
import { type SandboxService, openSandboxes } from '../support/service/sandbox.ts';

/* What people do with content that nobody expects: it is accepted, or refused with a documented error. */

const MAX_TEXT = 65_536;
const filled = (text: string) => text.repeat(MAX_TEXT / text.length);

const PIECES =
  'x * [a]( <b> &#x <![CDATA[ ]]> > ` "\\ {{ 漢 👍 \u0000\u001f \ud800 \u202e\u200d a@b.c'.split(
    ' ',
  );
const TEXTS = [...PIECES, '\n', ' \r\n.\r\n', ' '].map(filled);
const NAMES = [
  '../../etc/passwd',
  'a"\r\nX-Injected: 1\r\n\r\n',
  '\ud800\u0000',
  '漢'.repeat(200),
  '.',
];
const WHO = [
  '',
  'x',
  '\u0000',
  '../1',
  '__proto__',
  '"><script>',
  '漢'.repeat(300),
  '+0',
  '@',
  '#',
];

const data = Buffer.from('not an image').toString('base64');

const REPLIES = [
  ...TEXTS.map((text) => ({ text })),
  ...NAMES.map((name) => ({ media: { type: 'Document', name, data } })),
  { media: { type: 'Image', data, media_type: 'text/html', name: 'a.png' }, text: '<script>' },
  { media: { type: 'Audio' }, place: { latitude: -90, longitude: 180, name: '<b>'.repeat(300) } },
  { place: { latitude: 1e-300, longitude: -0 } },
  { text: 'x', reply_to: 1 },
  ...WHO.flatMap((address) => [
    { text: 'x', from: address },
    { text: 'x', room: address },
  ]),
];

describe('hostile answers in the sandbox', () => {
  let sandboxes: SandboxService;
  before(async () => {
    sandboxes = await openSandboxes('sqlite');
  });
  after(() => sandboxes[Symbol.asyncDispose]());

  for (const name of SIMULATED_CHANNELS) {
    it(`${name} accepts or refuses each`, async () => {
      const sandbox = await sandboxes.open(name);
      const { applicationId, integrationId } = sandbox;
      const simulator = (await loadSimulator(name)) ?? assert.fail(name);
      const id = await sandbox.send({ type: 'Note', content: 'Hello' }, firstRecipient(simulator));
      await sandbox.message(id, ({ state }) => !/queued|sending/.test(state));
      const [shown] = await sandbox.phone();
      const message = shown?.id ?? 1;
      const requests = [
        ...REPLIES.map((body) => ['reply', body] as const),
        ...TEXTS.map((text) => ['react', { message, emoji: text.slice(0, 64) }] as const),
        ...TEXTS.map((text) => ['press', { message, button: text.slice(0, 4_096) }] as const),
        ...['join', 'leave', 'block'].flatMap((action) =>
          WHO.map((from) => [action, { from, room: from }] as const),
        ),
      ];
      // The client refuses an answer that the route does not document.
      for (const [action, body] of requests) {
        const { status, text } = await sandbox.act(action, body);
        assert.ok([200, 404, 409, 422].includes(status), `${action}: ${status} ${text}`);
      }
      const { body } = await sandbox.app.get(`/1/sandbox/${integrationId}`);
      assert.ok(body.actions.every((kind: string) => ENTRY_KINDS.some((each) => each === kind)));
      for (const { id: entry } of (await sandbox.phone()).slice(0, 3)) {
        const place = { applicationId, integrationId };
        assert.ok(await sandboxes.service.store.sandboxMessages.get(place, entry));
      }
    });
  }
});
