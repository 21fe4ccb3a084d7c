import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { webhook } from '../../../src/channels/webhook/channel.ts';
import type { Accident, HttpPeer, Reply, Request } from '../../emulators/server/http.ts';
import { SECRET, openWebhook } from '../../emulators/webhook.ts';
import { WITHOUT_ANSWER, transient } from '../faults.ts';
import {
  type Case,
  type Expected,
  openContext,
  outgoing,
  resultOf,
  testChannel,
} from '../suite.ts';

type WebhookCase = Case<Request, Reply | Accident>;

const OTHER = `whsec_${Buffer.from('not-a-secret, but another one').toString('base64')}`;

/** As it came from the application: nothing in it is ours to change. */
const ACTIVITIES = {
  'an ordinary activity': '{"type":"Create","object":{"content":"Good morning!"}}',
  'odd spaces and numbers': '{ "type":\t"Create",\n"n": 1.00, "big": 9007199254740993 }',
  'emoji and text from right to left': '{"type":"Create","content":"👩‍👩‍👧 שלום \u202e\u2028"}',
  escapes: '{"type":"Create","content":"\\u00e9\\/ \\ud83d\\udc4b <b>&amp;</b>"}',
  'a long text': `{"type":"Create","content":"${'x'.repeat(200_000)}"}`,
};

const activities = Object.entries(ACTIVITIES).map(([name, json]): WebhookCase => ({
  it: `posts ${name}, byte for byte`,
  message: { json },
  sees: [{ method: 'POST', path: '/hook?x=1', text: json }],
  outcome: { outcome: 'sent' },
}));

type Sorted = Exclude<Expected, { outcome: 'known' }>;

const forAll = (codes: readonly number[], outcome: Sorted) =>
  Object.fromEntries(codes.map((code) => [code, outcome]));

const OUTCOMES: Readonly<Record<number, Sorted>> = {
  200: { outcome: 'sent' },
  202: { outcome: 'sent' },
  ...forAll([300, 301, 302, 303, 304, 307, 308], {
    outcome: 'permanent',
    blame: 'credentials',
    detail: 'redirects are not followed',
  }),
  ...forAll([401, 402, 403, 404, 405, 407, 410], { outcome: 'permanent', blame: 'credentials' }),
  ...forAll([400, 406, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 424, 426, 428, 431, 451], {
    outcome: 'permanent',
    blame: 'content',
  }),
  ...forAll([408, 409, 423, 425], transient(false)),
  429: { outcome: 'limited', whom: 'integration' },
  ...forAll([500, 501, 502, 505, 507, 511], transient(true)),
  503: transient(false),
  504: transient(true),
};

const statuses = Object.entries(OUTCOMES).map(([status, outcome]): WebhookCase => ({
  it: `makes of ${status}: ${outcome.outcome}`,
  answers: [{ status: Number(status), headers: { location: 'http://127.0.0.1:1/' }, body: '' }],
  sees: [{ method: 'POST' }],
  outcome: outcome.outcome === 'sent' ? outcome : { ...outcome, code: status },
}));

const cases: WebhookCase[] = [
  ...activities,
  ...statuses,
  {
    it: 'gives each try the same id, and the time of the try',
    message: { key: 'message-7-part-2' },
    sees: [{ headers: { 'webhook-id': 'message-7-part-2' } }],
    outcome: { outcome: 'sent' },
    also: ([request]) => {
      const at = Number(request?.headers['webhook-timestamp']);
      assert.ok(Math.abs(at - Date.now() / 1000) < 10);
      assert.match(request?.headers['webhook-signature'] ?? '', /^v1,[\w+/]{43}=$/);
    },
  },
  {
    it: 'blames the credentials when the secret is another',
    credentials: { secret: OTHER },
    outcome: {
      outcome: 'permanent',
      blame: 'credentials',
      code: '401',
      detail: 'the signature is wrong',
    },
  },
  {
    it: 'signs with both of two secrets',
    credentials: { secret: `${OTHER} ${SECRET}` },
    outcome: { outcome: 'sent' },
  },
  {
    it: 'waits as long as it is told',
    answers: [{ status: 429, headers: { 'retry-after': '120' } }],
    outcome: { outcome: 'limited', whom: 'integration', seconds: 120, code: '429' },
  },
  {
    it: 'waits until the date that it is told, though that is past',
    answers: [{ status: 429, headers: { 'retry-after': 'Sun, 15 Nov 2020 12:00:00 GMT' } }],
    outcome: { outcome: 'limited', whom: 'integration', seconds: 0, code: '429' },
  },
  {
    it: 'waits as long as it is told while the endpoint is down',
    answers: [{ status: 503, headers: { 'retry-after': '60' } }],
    outcome: { outcome: 'limited', whom: 'integration', seconds: 60, code: '503' },
  },
  {
    it: 'repeats the first line of what the endpoint says, and not all of a long one',
    answers: [{ status: 500, body: `\n a${'👋'.repeat(500)}\nmore` }],
    outcome: { ...transient(true, '500'), detail: /: a👋{99}\ufffd$/u },
  },
  {
    it: 'repeats no character that is not to be seen',
    answers: [{ status: 500, body: 'a\u0000b\u001bc' }],
    outcome: { ...transient(true, '500'), detail: /: a b c$/ },
  },
  {
    it: 'does not repeat a page',
    answers: [{ status: 500, body: '<html><h1>Oops' }],
    outcome: { ...transient(true, '500'), detail: /answered 500$/ },
  },
  {
    it: 'takes a page for an answer like any other',
    answers: ['html'],
    outcome: { outcome: 'sent' },
  },
  ...WITHOUT_ANSWER,
  ...['', 'canary', 'ftp://canary.example/', 'javascript:alert(1)'].map((address): WebhookCase => ({
    it: `asks nobody at the address ${JSON.stringify(address)}`,
    credentials: { address },
    sees: [],
    outcome: { outcome: 'permanent', blame: 'credentials', detail: 'http or https' },
  })),
  {
    it: 'asks nobody at an address with a password in it',
    credentials: { address: 'https://ada:canary@example.com/' },
    sees: [],
    outcome: { outcome: 'permanent', blame: 'credentials', detail: 'user name' },
  },
  {
    it: 'tries again when nobody listens, and nothing was sent',
    credentials: { address: 'http://127.0.0.1:1/' },
    sees: [],
    outcome: { ...transient(false), detail: 'ECONNREFUSED' },
  },
];

const address = ({ url }: { url: string }) => `${url}/hook?x=1`;

testChannel(webhook, {
  open: () => openWebhook(SECRET),
  credentials: (peer) => ({ address: address(peer), secret: SECRET }),
  recipient: 'customer-42',
  cases,
});

describe('webhook, by its secret', () => {
  async function sendTo(peer: HttpPeer, secret: string | undefined) {
    const credentials = { address: address(peer), ...(secret !== undefined && { secret }) };
    await using context = openContext({ credentials, url: '' });
    return await resultOf(
      webhook,
      'send',
      outgoing({ recipient: 'customer-42' }),
      undefined,
      context,
    );
  }

  for (const [what, secret, expected] of [
    ['signs nothing without a secret', undefined, undefined],
    ['signs nothing with an empty one', '', undefined],
    ['takes a text for a secret', 'not-a-secret: pässword', 'not-a-secret: pässword'],
  ] as const) {
    it(what, async () => {
      const key = expected === undefined ? undefined : new TextEncoder().encode(expected);
      const peer = await openWebhook(key);
      try {
        assert.deepEqual(await sendTo(peer, secret), { outcome: 'sent' });
      } finally {
        await peer.close();
      }
    });
  }
});
