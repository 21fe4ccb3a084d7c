import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { webhook } from '../../../src/channels/webhook/channel.ts';
import type { ConnectionFault, HttpPeer, Reply, Request } from '../../emulators/server/http.ts';
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

type WebhookCase = Case<Request, Reply | ConnectionFault>;

const OTHER = `whsec_${Buffer.from('not-a-secret, but another one').toString('base64')}`;

/** The application's JSON, which must not change. */
const ACTIVITIES = {
  'an ordinary activity': '{"type":"Create","object":{"content":"Good morning!"}}',
  'unusual spaces and numbers': '{ "type":\t"Create",\n"n": 1.00, "big": 9007199254740993 }',
  'emoji and right-to-left text': '{"type":"Create","content":"👩‍👩‍👧 שלום \u202e\u2028"}',
  escapes: '{"type":"Create","content":"\\u00e9\\/ \\ud83d\\udc4b <b>&amp;</b>"}',
  'a long text': `{"type":"Create","content":"${'x'.repeat(200_000)}"}`,
};

const activities = Object.entries(ACTIVITIES).map(([name, json]): WebhookCase => ({
  it: `posts ${name} byte for byte`,
  message: { json },
  sees: [{ method: 'POST', path: '/hook?x=1', text: json }],
  outcome: { outcome: 'sent' },
}));

type SendOutcome = Exclude<Expected, { outcome: 'known' }>;

const forAll = (codes: readonly number[], outcome: SendOutcome) =>
  Object.fromEntries(codes.map((code) => [code, outcome]));

const OUTCOMES: Readonly<Record<number, SendOutcome>> = {
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
  429: { outcome: 'limited', scope: 'integration' },
  ...forAll([500, 501, 502, 505, 507, 511], transient(true)),
  503: transient(false),
  504: transient(true),
};

const statuses = Object.entries(OUTCOMES).map(([status, outcome]): WebhookCase => ({
  it: `treats ${status} as ${outcome.outcome}`,
  answers: [{ status: Number(status), headers: { location: 'http://127.0.0.1:1/' }, body: '' }],
  sees: [{ method: 'POST' }],
  outcome: outcome.outcome === 'sent' ? outcome : { ...outcome, code: status },
}));

const cases: WebhookCase[] = [
  ...activities,
  ...statuses,
  {
    it: 'gives each attempt the same id and its own time',
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
    it: 'signs the time of the attempt, which a receiver with another clock refuses',
    at: '2026-01-01T00:00:00Z',
    sees: [{ headers: { 'webhook-timestamp': '1767225600' } }],
    outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
  },
  {
    it: 'blames the credentials when the secret differs',
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
    it: 'rate limited: waits as long as the response says',
    answers: [{ status: 429, headers: { 'retry-after': '120' } }],
    outcome: { outcome: 'limited', scope: 'integration', seconds: 120, code: '429' },
  },
  {
    it: 'rate limited: waits when the date in Retry-After has passed',
    answers: [{ status: 429, headers: { 'retry-after': 'Sun, 15 Nov 2020 12:00:00 GMT' } }],
    outcome: { outcome: 'limited', scope: 'integration', seconds: 0, code: '429' },
  },
  {
    it: 'waits as long as Retry-After says while the endpoint is down',
    answers: [{ status: 503, headers: { 'retry-after': '60' } }],
    outcome: { outcome: 'limited', scope: 'integration', seconds: 60, code: '503' },
  },
  {
    it: "repeats only the beginning of the endpoint's first line",
    answers: [{ status: 500, body: `\n a${'👋'.repeat(500)}\nmore` }],
    outcome: { ...transient(true, '500'), detail: /: a👋{99}\ufffd$/u },
  },
  {
    it: 'repeats no invisible characters',
    answers: [{ status: 500, body: 'a\u0000b\u001bc' }],
    outcome: { ...transient(true, '500'), detail: /: a b c$/ },
  },
  {
    it: 'does not repeat an HTML page',
    answers: [{ status: 500, body: '<html><h1>Oops' }],
    outcome: { ...transient(true, '500'), detail: /answered 500$/ },
  },
  {
    it: 'treats an HTML success like any other',
    answers: ['html'],
    outcome: { outcome: 'sent' },
  },
  ...WITHOUT_ANSWER,
  ...['', 'canary', 'ftp://canary.example/', 'javascript:alert(1)'].map((address): WebhookCase => ({
    it: `sends no request to the invalid address ${JSON.stringify(address)}`,
    credentials: { address },
    sees: [],
    outcome: { outcome: 'permanent', blame: 'credentials', detail: 'http or https' },
  })),
  {
    it: 'sends no request to an address with a password',
    credentials: { address: 'https://ada:canary@example.com/' },
    sees: [],
    outcome: { outcome: 'permanent', blame: 'credentials', detail: 'user name' },
  },
  {
    it: 'retries when the connection is refused: nothing was sent',
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

describe('webhook recipients', () => {
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
    ['signs nothing with an empty secret', '', undefined],
    ['accepts any text as a secret', 'not-a-secret: pässword', 'not-a-secret: pässword'],
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
