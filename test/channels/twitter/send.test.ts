import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Blame } from '../../../src/channels/channel.ts';
import { twitter } from '../../../src/channels/twitter/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import {
  CLIENT,
  EARLIER,
  EXPIRED,
  FIRST,
  KEYS,
  PEOPLE,
  PUBLIC_CLIENT,
  REFRESH,
  openTwitter,
  renewed,
} from '../../emulators/twitter/api.ts';
import { problem } from '../../emulators/twitter/problem.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, openContext, outgoing, resultOf, testChannel } from '../suite.ts';
import { UPLOADS } from './uploads.ts';

type XCase = Case<Request, Reply | ConnectionFault>;

const POST = { method: 'POST', path: `/2/dm_conversations/with/${PEOPLE.friend}/messages` };
const SENT = { outcome: 'sent' as const, id: FIRST };
const REFRESHING = { path: '/2/oauth2/token' };

const TEXTS = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'markup of other products': '*bold* _italic_ <b>&amp;</b> @ada #tag',
  'line breaks, tabs and quotes': 'one\ntwo\r\n\t"three" \\ four\u2028five',
  'the longest text': 'x'.repeat(10_000),
};

/** OAuth 2.0 with an expired access token. */
const OAUTH2 = { ...CLIENT, token: EXPIRED, refresh: REFRESH, secret: undefined };

const refusal = (blame: Blame, status: number, type: string, detail = 'because'): XCase => ({
  it: `blames the ${blame} for ${status} ${type}: ${detail}`,
  answers: [problem(status, type, detail)],
  outcome: {
    outcome: 'permanent',
    blame,
    code: type === 'about:blank' ? String(status) : type,
    detail,
  },
});

/** A limit that ends in `seconds`. */
const limited = (sentence: string, headers: Record<string, string>, seconds?: number): XCase => ({
  it: sentence,
  answers: [problem(429, 'about:blank', 'Too Many Requests', headers)],
  outcome: {
    outcome: 'limited',
    scope: 'integration',
    code: '429',
    ...(seconds !== undefined && { seconds }),
  },
});

testChannel(twitter, {
  open: openTwitter,
  credentials: KEYS,
  recipient: PEOPLE.friend,
  cases: [
    ...Object.entries(TEXTS).map(([name, text]): XCase => ({
      it: `sends ${name}`,
      message: { text },
      sees: [{ ...POST, json: { text } }],
      outcome: SENT,
    })),
    {
      it: 'sends a text one character over the limit as two messages, each signed separately',
      message: { text: 'x'.repeat(10_001) },
      sees: [{ json: { text: 'x'.repeat(10_000) } }, { json: { text: 'x' } }],
      outcome: { outcome: 'sent', id: String(BigInt(FIRST) + 1n) },
    },
    {
      it: 'sends formatted text as plain text and a file as a link',
      message: {
        text: '**Hi** _you_ 2\\*3',
        object: {
          mediaType: 'text/markdown',
          attachment: [{ type: 'Document', url: 'https://example.com/a.pdf' }],
        },
      },
      sees: [{ json: { text: 'Hi you 2*3\nhttps://example.com/a.pdf' } }],
      outcome: SENT,
    },
    ...UPLOADS,

    {
      it: 'refreshes an expired access token in the same attempt',
      credentials: OAUTH2,
      sees: [
        { ...POST, headers: { authorization: `Bearer ${EXPIRED}` } },
        { ...REFRESHING, form: { grant_type: 'refresh_token', refresh_token: REFRESH } },
        { ...POST, headers: { authorization: `Bearer ${renewed(1).token}` } },
      ],
      outcome: SENT,
    },
    {
      it: 'refreshes as a public client without a secret',
      credentials: { ...OAUTH2, consumer_key: PUBLIC_CLIENT, consumer_secret: undefined },
      sees: [POST, { ...REFRESHING, form: { client_id: PUBLIC_CLIENT } }, POST],
      outcome: SENT,
    },
    {
      it: 'refreshes only once',
      credentials: OAUTH2,
      answers: [
        problem(401, 'about:blank', 'Unauthorized'),
        { status: 200, body: { access_token: 'fake-1', refresh_token: 'fake-2' } },
        problem(401, 'about:blank', 'Unauthorized'),
      ],
      sees: [POST, REFRESHING, POST],
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    {
      it: 'blames the credentials when the refresh token was used before',
      credentials: { ...OAUTH2, refresh: 'fake-refresh-token-of-long-ago' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'invalid_request' },
    },
    {
      it: 'blames the credentials when the client id is another one',
      credentials: { ...OAUTH2, consumer_secret: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'unauthorized_client' },
    },
    ...([500, 503] as const).map((status): XCase => ({
      it: `the message was not sent when the token request got ${status}`,
      credentials: OAUTH2,
      answers: [problem(401, 'about:blank', 'Unauthorized'), { status, body: 'no' }],
      outcome: transient(false, String(status)),
    })),
    {
      it: 'the message was not sent when the token request got no response',
      credentials: OAUTH2,
      answers: [problem(401, 'about:blank', 'Unauthorized'), 'reset'],
      outcome: { ...transient(false), detail: '127.0.0.1' },
    },

    {
      it: 'blames a recipient who accepts no messages',
      message: { recipient: PEOPLE.closed },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '403', detail: 'cannot send' },
    },
    {
      it: 'blames an unknown recipient',
      message: { recipient: PEOPLE.gone },
      outcome: { outcome: 'permanent', blame: 'recipient', code: 'resource-not-found' },
    },
    {
      it: 'blames the content when the text is empty',
      message: { text: ' ' },
      outcome: { outcome: 'permanent', blame: 'content', code: 'invalid-request' },
    },
    ...(['consumer_key', 'consumer_secret', 'token', 'secret'] as const).map((name): XCase => ({
      it: `blames the credentials when the ${name} is wrong`,
      credentials: { [name]: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    })),
    refusal('credentials', 403, 'client-forbidden'),
    refusal('credentials', 403, 'oauth1-permissions'),
    refusal('recipient', 403, 'not-authorized-for-resource'),
    refusal('recipient', 400, 'invalid-request', 'The `participant_id` is not valid'),
    refusal('content', 400, 'invalid-request', 'text is too long'),
    {
      it: 'reads errors that are not in problem format',
      answers: [{ status: 400, body: { code: 38, message: 'text parameter is missing.' } }],
      outcome: { outcome: 'permanent', blame: 'content', code: '400', detail: 'missing' },
    },
    {
      it: 'reads errors in the older format',
      answers: [
        { status: 400, body: { errors: [{ code: 354, message: 'The text is too long' }] } },
      ],
      outcome: { outcome: 'permanent', blame: 'content', code: '400', detail: 'too long' },
    },
    ...(
      [
        { token: '' },
        { secret: 'fake token' },
        { consumer_key: 'fake\r\nx: y' },
        { ...OAUTH2, token: 'fäke' },
        { ...OAUTH2, refresh: 'fake\n' },
      ] as const
    ).map((credentials): XCase => ({
      it: `sends no request with the invalid credentials ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),

    limited('waits when the response gives no time', {}),
    limited('waits no time when the limit has passed', { 'x-rate-limit-reset': '1' }, 0),
    {
      it: 'rate limited: waits when the response is not JSON',
      answers: [{ status: 429, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', code: '429' },
    },
    ...([500, 502, 504] as const).map((status): XCase => ({
      it: `retries after ${status}: the message may have been sent`,
      answers: [problem(status, 'about:blank', 'because')],
      outcome: transient(true, String(status)),
    })),
    ...([302, 404, 503] as const).map((status): XCase => ({
      it: `retries after ${status}: the message was not sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    ...[EARLIER, '1'].map((id): XCase => ({
      it: id === '1' ? 'treats removing a missing message as done' : 'removes a message',
      calls: 'remove',
      earlier: { id, recipient: PEOPLE.friend },
      sees: [{ method: 'DELETE', path: `/2/dm_events/${id}` }],
      outcome: { outcome: 'sent' },
    })),
    {
      it: 'cannot remove a message without permission',
      calls: 'remove',
      earlier: { id: EARLIER, recipient: PEOPLE.friend },
      answers: [problem(403, 'client-forbidden', 'because')],
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'client-forbidden' },
    },
    ...([{}, OAUTH2] as const).map((credentials): XCase => ({
      it: `check: names the token’s owner and sends nothing (OAuth ${'refresh' in credentials ? 2 : 1})`,
      calls: 'check',
      credentials,
      outcome: { outcome: 'known', as: '@ada' },
    })),
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
  ],
});

describe('twitter with an expired access token', () => {
  const credentials = { ...CLIENT, token: EXPIRED, refresh: REFRESH };
  const message = outgoing({ recipient: PEOPLE.friend });

  it('refreshes once for all concurrent messages and stores both tokens', async () => {
    const peer = await openTwitter();
    await using context = openContext({ credentials, url: peer.url });
    const send = async () => resultOf(twitter, 'send', message, undefined, context);
    const results = await Promise.all(Array.from({ length: 8 }, send));
    assert.ok(results.every(({ outcome }) => outcome === 'sent'));
    assert.equal(peer.seen.filter(({ path }) => path === REFRESHING.path).length, 1);
    assert.deepEqual(context.renewed, [renewed(1)]);
    await peer.close();
  });

  it('refreshes shortly before the two hours have passed with the latest refresh token', async () => {
    const peer = await openTwitter();
    await using context = openContext({ credentials, url: peer.url });
    const { clock } = context;
    for (const hours of [0, 1.9, 2]) {
      const later = { ...context, clock: { ...clock, now: () => clock.now() + hours * 3_600_000 } };
      const result = await resultOf(twitter, 'send', message, undefined, later);
      assert.equal(result.outcome, 'sent');
    }
    assert.deepEqual(context.renewed, [renewed(1), renewed(2)]);
    await peer.close();
  });

  it('sends nothing when the new tokens cannot be stored', async () => {
    const peer = await openTwitter();
    await using context = openContext({ credentials, url: peer.url });
    const storeCredentials = () => Promise.reject(new Error('the store is full'));
    const result = await resultOf(twitter, 'send', message, undefined, {
      ...context,
      storeCredentials,
    });
    assert.partialDeepStrictEqual(result, transient(false));
    await peer.close();
  });
});

describe("twitter's rate limit", () => {
  const NOW = 1_794_700_800;
  for (const [sentence, headers, seconds] of [
    ['a quarter of an hour', { 'x-rate-limit-remaining': '0' }, 60],
    ['a day', { 'x-user-limit-24hour-remaining': '0' }, 40_000],
    ['a day for the app', { 'x-app-limit-24hour-remaining': '0' }, 50_000],
  ] as const) {
    it(`ends after ${sentence} when that is used up`, async () => {
      const peer = await openTwitter();
      await using context = openContext({ credentials: KEYS, url: peer.url });
      peer.next(
        problem(429, 'about:blank', 'Too Many Requests', {
          'x-rate-limit-reset': String(NOW + 60),
          'x-user-limit-24hour-reset': String(NOW + 40_000),
          'x-app-limit-24hour-reset': String(NOW + 50_000),
          ...headers,
        }),
      );
      const clock = { ...context.clock, now: () => NOW * 1000 };
      const message = outgoing({ recipient: PEOPLE.friend });
      const result = await resultOf(twitter, 'send', message, undefined, { ...context, clock });
      assert.partialDeepStrictEqual(result, { outcome: 'limited', seconds });
      await peer.close();
    });
  }
});
