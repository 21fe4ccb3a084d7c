import assert from 'node:assert/strict';

import { matrix } from '../../../src/channels/matrix/channel.ts';
import {
  EXPIRED,
  FIRST,
  REFRESH,
  RENEWED,
  ROOM,
  SECOND,
  SELF,
  TOKEN,
  limited,
  matrixError,
  openMatrix,
} from '../../emulators/matrix/api.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';
import { PEOPLE } from './direct-rooms.ts';
import { MENTION_CASES } from './mentions.ts';
import { OPTION_CASES } from './options.ts';
import { UPLOADS } from './uploads.ts';

type MatrixCase = Case<Request, Reply | ConnectionFault>;

const API = '/_matrix/client/v3';
const PATH = `${API}/rooms/!room%3Aexample.org/send/m.room.message/message-1-part-1`;
const SENT = { outcome: 'sent', id: `${ROOM}/${FIRST}` } as const;
const EARLIER = { id: `${ROOM}/$before`, recipient: ROOM };
const text = (body: string) => ({ msgtype: 'm.text', body, 'm.mentions': {} });

/** Texts that must arrive unchanged. */
const TEXTS = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'HTML-like text': '<b>bold</b> &amp; <a href="https://example.com">a</a>',
  'Markdown-like text': '*bold* _italic_ [a](https://example.com)',
  'a room mention without effect': '@room hello @bot',
  'line breaks, tabs and quotes': 'one\ntwo\r\n\t"three" \\ four\u2028five',
  'the longest text': 'x'.repeat(59_998),
  'the longest escaped text': '\\'.repeat(29_999),
  'the longest text of emoji': '👋'.repeat(14_999),
};

const texts = Object.entries(TEXTS).map(([name, written]): MatrixCase => ({
  it: `sends ${name}`,
  message: { text: written },
  sees: [{ method: 'PUT', path: PATH, text: JSON.stringify(text(written)) }],
  outcome: SENT,
}));

const refusal = (
  blame: 'credentials' | 'recipient' | 'content',
  status: number,
  code: string,
): MatrixCase => ({
  it: `blames the ${blame} for ${code}`,
  answers: [matrixError(status, code, 'because')],
  outcome: { outcome: 'permanent', blame, code, detail: 'because' },
});

testChannel(matrix, {
  open: openMatrix,
  credentials: ({ url }) => ({ address: url, token: TOKEN }),
  recipient: ROOM,
  cases: [
    ...OPTION_CASES,
    ...texts,
    ...MENTION_CASES,
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: 'x'.repeat(59_999) },
      sees: [{ json: text('x'.repeat(59_998)) }, { path: `${PATH}-2`, json: text('x') }],
      outcome: { outcome: 'sent', id: `${ROOM}/${SECOND}` },
    },
    {
      it: 'authenticates in a header only',
      sees: [{ headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' } }],
      outcome: SENT,
    },
    {
      it: 'sends formatted text as HTML with a plain-text body',
      message: {
        text: '**bold** *a<b* ~~no~~ `x & y` [site](https://example.com/?a=1&b=2)\nnext',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        {
          json: {
            ...text('bold a<b no x & y site (https://example.com/?a=1&b=2)\nnext'),
            format: 'org.matrix.custom.html',
            formatted_body:
              '<b>bold</b> <i>a&lt;b</i> <s>no</s> <code>x &amp; y</code> <a href="https://example.com/?a=1&amp;b=2">site</a><br>next',
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends lists, tables and headings as HTML',
      message: {
        text: '# A\n\n- b\n  - c\n\n| d | e |\n|---|---|\n| 1 | 2 |',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        {
          json: {
            ...text('A\n\n• b\n  • c\n\nd | e\n1 | 2'),
            formatted_body:
              '<h1>A</h1><ul><li>b<ul><li>c</li></ul></li></ul><table><tr><th>d</th><th>e</th></tr><tr><td>1</td><td>2</td></tr></table>',
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'splits long formatted text so that both bodies fit',
      message: { text: `**${'x'.repeat(50_000)}**`, object: { mediaType: 'text/markdown' } },
      sees: [{}, {}],
      outcome: { outcome: 'sent', id: `${ROOM}/${SECOND}` },
    },
    {
      it: 'sends to a room id without a server name',
      message: { recipient: '!hashed-without-a-server' },
      outcome: { outcome: 'sent', id: `!hashed-without-a-server/${FIRST}` },
    },
    ...UPLOADS,
    {
      it: 'sends a place',
      message: { object: { type: 'Place', latitude: 52.5, longitude: 1e-7, name: 'Here' } },
      sees: [
        {
          json: {
            msgtype: 'm.location',
            body: 'Here',
            geo_uri: 'geo:52.5,0.0000001',
            'm.mentions': {},
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a place without a name',
      message: { object: { type: 'Place', latitude: -100, longitude: 20 } },
      sees: [{ json: { body: '-100,20', geo_uri: 'geo:-100,20' } }],
      outcome: SENT,
    },
    ...['$before', `${ROOM}/$before`].map((inReplyTo): MatrixCase => ({
      it: `replies to ${inReplyTo}`,
      message: { object: { inReplyTo } },
      sees: [{ json: { 'm.relates_to': { 'm.in_reply_to': { event_id: '$before' } } } }],
      outcome: SENT,
    })),
    {
      it: 'sends to a thread with a fallback reply',
      message: { context: '$a/b+c' },
      sees: [
        {
          json: {
            'm.relates_to': {
              rel_type: 'm.thread',
              event_id: '$a/b+c',
              is_falling_back: true,
              'm.in_reply_to': { event_id: '$a/b+c' },
            },
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'replies within a thread',
      message: { context: `${ROOM}/$root`, object: { inReplyTo: '$before' } },
      sees: [
        {
          json: {
            'm.relates_to': {
              rel_type: 'm.thread',
              event_id: '$root',
              is_falling_back: false,
              'm.in_reply_to': { event_id: '$before' },
            },
          },
        },
      ],
      outcome: SENT,
    },

    ...PEOPLE,

    {
      it: 'blames the recipient when the bot is not in the room',
      message: { recipient: '!other:example.org' },
      outcome: {
        outcome: 'permanent',
        blame: 'recipient',
        code: 'M_FORBIDDEN',
        detail: 'not in room',
      },
    },
    refusal('recipient', 404, 'M_NOT_FOUND'),
    refusal('content', 413, 'M_TOO_LARGE'),
    refusal('content', 400, 'M_BAD_JSON'),
    refusal('content', 400, 'M_UNKNOWN'),
    refusal('credentials', 401, 'M_MISSING_TOKEN'),
    refusal('credentials', 401, 'M_USER_LOCKED'),
    refusal('credentials', 403, 'M_USER_SUSPENDED'),
    refusal('credentials', 403, 'M_CONSENT_NOT_GIVEN'),
    {
      it: 'blames the credentials when the token is unknown',
      credentials: { token: 'syt_fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'M_UNKNOWN_TOKEN' },
    },
    {
      it: 'blames the credentials when the address redirects',
      answers: [{ status: 301, headers: { location: 'https://example.com/' }, body: '' }],
      sees: [{}],
      outcome: { outcome: 'permanent', blame: 'credentials', code: '301' },
    },
    ...['', 'fake token', 'fake\r\nx: y', 'fäke'].map((token): MatrixCase => ({
      it: `sends no request with the malformed token ${JSON.stringify(token)}`,
      credentials: { token },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),
    ...['', 'example.org', 'ftp://example.org', 'http://a:b@127.0.0.1'].map(
      (address): MatrixCase => ({
        it: `sends no request to the invalid address ${JSON.stringify(address)}`,
        credentials: { address },
        sees: [],
        outcome: { outcome: 'permanent', blame: 'credentials', detail: 'address' },
      }),
    ),

    {
      it: 'refreshes an expired token and sends',
      credentials: { token: EXPIRED, refresh: REFRESH },
      sees: [
        { path: PATH, headers: { authorization: `Bearer ${EXPIRED}` } },
        { method: 'POST', path: `${API}/refresh`, json: { refresh_token: REFRESH } },
        { path: PATH, headers: { authorization: `Bearer ${RENEWED.token}` } },
      ],
      outcome: SENT,
    },
    {
      it: 'blames the credentials when the refresh token is unknown too',
      credentials: { token: EXPIRED, refresh: 'syr_fake' },
      sees: [{}, {}],
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'M_UNKNOWN_TOKEN' },
    },
    {
      it: 'the message was not sent when the token refresh failed',
      credentials: { token: EXPIRED, refresh: REFRESH },
      answers: [matrixError(401, 'M_UNKNOWN_TOKEN'), { status: 502, body: '' }],
      outcome: transient(false, '502'),
    },
    {
      it: 'refreshes only once per attempt',
      credentials: { token: EXPIRED, refresh: REFRESH },
      answers: [
        matrixError(401, 'M_UNKNOWN_TOKEN'),
        { status: 200, body: { access_token: 'syt_fake_2' } },
        matrixError(401, 'M_UNKNOWN_TOKEN'),
      ],
      sees: [{}, {}, {}],
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'M_UNKNOWN_TOKEN' },
    },
    {
      it: 'names the user that an application service acts as',
      credentials: { username: '@ghost:example.org', secret: 'canary-of-the-homeserver' },
      sees: [{ path: `${PATH}?user_id=%40ghost%3Aexample.org` }],
      outcome: SENT,
    },
    {
      it: 'names no user for an ordinary account',
      credentials: { username: SELF },
      sees: [{ path: PATH }],
      outcome: SENT,
    },

    {
      it: 'rate limited: waits as long as the header says',
      answers: [limited({ 'retry-after': '7' }, { retry_after_ms: 9000 })],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 7, code: 'M_LIMIT_EXCEEDED' },
    },
    {
      it: "rate limited: waits as long as an older homeserver's body says",
      answers: [limited({}, { retry_after_ms: 1500 })],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 2, code: 'M_LIMIT_EXCEEDED' },
    },
    {
      it: 'rate limited: waits when the response gives no time',
      answers: [{ status: 429, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', code: '429' },
    },
    {
      it: 'retries when the homeserver has reached its own limit',
      answers: [matrixError(403, 'M_RESOURCE_LIMIT_EXCEEDED', 'too many users')],
      outcome: transient(false, 'M_RESOURCE_LIMIT_EXCEEDED'),
    },
    {
      it: 'retries after a homeserver error: the message may have been sent',
      answers: [matrixError(500, 'M_UNKNOWN', 'Internal server error')],
      outcome: { ...transient(true, 'M_UNKNOWN'), detail: 'Internal server error' },
    },
    ...([502, 504] as const).map((status): MatrixCase => ({
      it: `retries after ${status} from a gateway: the message may have been sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(true, String(status)),
    })),
    ...([403, 404, 503] as const).map((status): MatrixCase => ({
      it: `retries after ${status} from something other than a homeserver`,
      answers: [{ status, body: 'no' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'edits a message and keeps its id',
      calls: 'edit',
      earlier: EARLIER,
      message: { text: '**after**', object: { mediaType: 'text/markdown', inReplyTo: '$x' } },
      sees: [
        {
          method: 'PUT',
          json: {
            ...text('* after'),
            'm.new_content': {
              ...text('after'),
              format: 'org.matrix.custom.html',
              formatted_body: '<b>after</b>',
            },
            'm.relates_to': { rel_type: 'm.replace', event_id: '$before' },
          },
        },
      ],
      outcome: { outcome: 'sent', id: EARLIER.id },
    },
    {
      it: 'edits a message to the longest allowed text',
      calls: 'edit',
      earlier: EARLIER,
      message: { text: '\\'.repeat(29_999) },
      outcome: { outcome: 'sent', id: EARLIER.id },
    },
    {
      it: 'cannot edit a missing message',
      calls: 'edit',
      earlier: { ...EARLIER, id: `${ROOM}/$none` },
      outcome: { outcome: 'permanent', blame: 'content', code: 'M_UNKNOWN' },
    },
    {
      it: 'deletes a message',
      calls: 'remove',
      earlier: EARLIER,
      also: ([seen]) =>
        assert.match(seen?.path ?? '', /\/rooms\/!room%3Aexample\.org\/redact\/%24before\/[\w-]+$/),
      outcome: { outcome: 'sent' },
    },
    {
      it: 'treats deleting a missing message as done',
      calls: 'remove',
      earlier: { ...EARLIER, id: `${ROOM}/$none` },
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete a message without permission',
      calls: 'remove',
      earlier: EARLIER,
      answers: [matrixError(403, 'M_FORBIDDEN', 'no right to redact')],
      outcome: { outcome: 'permanent', blame: 'recipient', code: 'M_FORBIDDEN' },
    },

    {
      it: 'check: names the token’s owner and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: `${API}/account/whoami`, text: '' }],
      outcome: { outcome: 'known', as: SELF },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'syt_fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'M_UNKNOWN_TOKEN' },
    },
    {
      it: 'check: rejects an application service that may not act as the user',
      calls: 'check',
      answers: [matrixError(403, 'M_FORBIDDEN', 'cannot masquerade')],
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'M_FORBIDDEN' },
    },
  ],
});
