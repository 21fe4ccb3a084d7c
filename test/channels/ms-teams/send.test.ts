import assert from 'node:assert/strict';

import { msTeams } from '../../../src/channels/ms-teams/channel.ts';
import {
  APP,
  CONVERSATIONS,
  EARLIER as BEFORE,
  PASSWORD,
  TENANT,
  openTeams,
  teamsError,
} from '../../emulators/ms-teams.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ID, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';
import { cardCases } from './cards.ts';
import { OPTION_CASES } from './options.ts';

type TeamsCase = Case<Request, Reply | ConnectionFault>;

const { channel: CHANNEL, group: GROUP, person: PERSON } = CONVERSATIONS;
const ISSUE = { method: 'POST', path: '/botframework.com/oauth2/v2.0/token' };
const pathTo = (id: string, more = '') =>
  `/v3/conversations/${encodeURIComponent(id)}/activities${more}`;
const SENT = { outcome: 'sent', id: '1700000000001' } as const;
const EARLIER = { id: BEFORE, recipient: CHANNEL };
/** The token response, which precedes every other response. */
const TOKEN: Reply = { status: 200, body: { access_token: 'fake-token-0', expires_in: 3599 } };

/** Texts that must arrive unchanged. */
const TEXTS = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'markup-like text': '**b** _i_ `c` <b>b</b> &amp; <at>all</at> [a](https://example.com)',
  'line breaks, tabs and quotes': 'one\ntwo\r\n\t"three" \\ four\u2028five',
  'the longest text': 'x'.repeat(40_000),
  'the longest text of emoji': '👋'.repeat(20_000),
};

const texts = Object.entries(TEXTS).map(([name, text]): TeamsCase => ({
  it: `sends ${name}`,
  message: { text },
  sees: [
    ISSUE,
    { method: 'POST', path: pathTo(CHANNEL), json: { type: 'message', text, textFormat: 'plain' } },
  ],
  outcome: SENT,
}));

testChannel(msTeams, {
  open: openTeams,
  credentials: { token: APP, secret: PASSWORD },
  recipient: CHANNEL,
  cases: [
    ...OPTION_CASES,
    ...texts,
    ...[PERSON, GROUP].map((recipient): TeamsCase => ({
      it: `sends to ${recipient.slice(0, 10)}…`,
      message: { recipient },
      sees: [ISSUE, { path: pathTo(recipient) }],
      outcome: SENT,
    })),
    {
      it: 'authenticates with a requested token',
      sees: [
        { ...ISSUE, form: { client_id: APP, scope: 'https://api.botframework.com/.default' } },
        { headers: { authorization: 'Bearer fake-token-1', 'content-type': 'application/json' } },
      ],
      outcome: SENT,
    },
    {
      it: 'requests the token from the tenant’s directory when one is set',
      credentials: { username: TENANT },
      sees: [{ path: `/${TENANT}/oauth2/v2.0/token` }, {}],
      outcome: SENT,
    },
    {
      it: 'sends a text over the limit as two messages',
      message: { text: `${'x'.repeat(40_000)} yz` },
      sees: [ISSUE, { json: { text: 'x'.repeat(40_000) } }, { json: { text: 'yz' } }],
      outcome: { outcome: 'sent', id: '1700000000002' },
    },
    {
      it: 'sends formatted text in its markup',
      message: {
        text: '**b** *i* ~~s~~ `a<b` [a & b](https://example.com/?a&b)\nnext\n\n```\nx < y\n```',
        object: { mediaType: 'text/markdown' },
      },
      also: (seen) =>
        assert.match(
          String(Object(seen[1]?.json).text),
          /^<b>b<\/b> <i>i<\/i> <s>s<\/s> <code>a&lt;b<\/code> <a href="https:\/\/example.com\/\?a&amp;b">a &amp; b<\/a>.*<pre><code>x &lt; y/,
        ),
      outcome: SENT,
    },
    {
      it: 'sends lists and headings as HTML and tables as lines',
      message: {
        text: '# A\n\n- b\n  - c\n\n| d | e |\n|---|---|\n| 1 | 2 |',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        ISSUE,
        {
          json: {
            text: '<h1>A</h1><ul><li>b<ul><li>c</li></ul></li></ul><b>d</b> | <b>e</b><br>1 | 2',
            textFormat: 'xml',
          },
        },
      ],
      outcome: SENT,
    },

    ...cardCases,
    ...(
      [
        [
          'below a channel message',
          CHANNEL,
          { context: BEFORE },
          `${CHANNEL};messageid=${BEFORE}`,
          '',
        ],
        [
          'a channel message below it',
          CHANNEL,
          { object: { inReplyTo: BEFORE } },
          `${CHANNEL};messageid=${BEFORE}`,
          '',
        ],
        [
          'below another channel message',
          `${CHANNEL};messageid=1`,
          { context: BEFORE },
          `${CHANNEL};messageid=${BEFORE}`,
          '',
        ],
        ['a chat message', PERSON, { object: { inReplyTo: BEFORE } }, PERSON, `/${BEFORE}`],
        ['in a chat, which has no threads', PERSON, { context: BEFORE }, PERSON, ''],
      ] as const
    ).map(([what, recipient, message, conversation, more]): TeamsCase => ({
      it: `replies to ${what}`,
      message: { recipient, ...message },
      sees: [
        ISSUE,
        { path: pathTo(conversation, more), json: { conversation: { id: conversation } } },
      ],
      outcome: SENT,
    })),

    {
      it: 'requests a new token when the current one is rejected',
      answers: [TOKEN, teamsError(401, 'Unauthorized')],
      sees: [ISSUE, {}, ISSUE, {}],
      outcome: SENT,
    },
    {
      it: 'requests a new token only once',
      answers: [TOKEN, { status: 401, body: {} }, TOKEN, { status: 401, body: {} }],
      sees: [ISSUE, {}, ISSUE, {}],
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    {
      it: 'blames the credentials when the token request is refused, in one line',
      credentials: { secret: 'fake' },
      sees: [ISSUE],
      outcome: {
        outcome: 'permanent',
        blame: 'credentials',
        code: 'invalid_client',
        detail: /AADSTS7000215: Invalid client secret provided\.$/,
      },
    },
    ...(
      [
        { token: 'not an id' },
        { token: '' },
        { secret: '' },
        { username: '../x' },
        { username: 'a/b' },
        { address: 'ftp://example.com' },
        { address: 'https://fake:fake@example.com/' },
      ] as const
    ).map((credentials): TeamsCase => ({
      it: `sends no request with the invalid credentials ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),
    ...(['reset', { status: 500, body: 'x' }, { status: 429, body: 'x' }] as const).map(
      (answer, i): TeamsCase => ({
        it: `retries when the token request fails temporarily (${i + 1})`,
        answers: [answer],
        sees: [ISSUE],
        outcome: transient(false, typeof answer === 'string' ? undefined : String(answer.status)),
      }),
    ),

    ...(
      [
        [CONVERSATIONS.foreign, 'BotNotInConversationRoster'],
        [CONVERSATIONS.blocked, 'ConversationBlockedByUser'],
        ['a:nobody', 'ConversationNotFound'],
        ['a/../b?c#d%2e', 'ConversationNotFound'],
      ] as const
    ).map(([recipient, code]): TeamsCase => ({
      it: `blames the recipient ${recipient}`,
      message: { recipient },
      outcome: { outcome: 'permanent', blame: 'recipient', code },
    })),
    ...(
      [
        [403, 'BotDisabledByAdmin', 'credentials'],
        [403, 'MessageWritesBlocked', 'recipient'],
        [400, 'ConversationNotFound', 'recipient'],
        [400, 'BadSyntax', 'content'],
        [413, 'MessageSizeTooBig', 'content'],
        [405, 'MethodNotAllowed', 'unsupported'],
      ] as const
    ).map(([status, code, blame]): TeamsCase => ({
      it: `blames the ${blame} for ${status} ${code}`,
      answers: [TOKEN, teamsError(status, code)],
      outcome: { outcome: 'permanent', blame, code, detail: 'No' },
    })),
    {
      it: 'blames the content when the text is empty',
      message: { text: ' \n ' },
      outcome: { outcome: 'permanent', blame: 'content', code: 'BadSyntax' },
    },
    ...([{ 'retry-after': '7' }, {}] as const).map((headers): TeamsCase => ({
      it: `rate limited: waits after ${JSON.stringify(headers)}`,
      answers: [TOKEN, { status: 429, headers, body: { error: { code: 'Throttled' } } }],
      outcome: {
        outcome: 'limited',
        scope: 'recipient',
        ...('retry-after' in headers && { seconds: 7 }),
        code: 'Throttled',
      },
    })),
    ...([500, 502, 504] as const).map((status): TeamsCase => ({
      it: `retries after ${status}: the message may have been sent`,
      answers: [TOKEN, { status, body: '<html>' }],
      outcome: transient(true, String(status)),
    })),
    ...([302, 403, 404, 412, 503] as const).map((status): TeamsCase => ({
      it: `retries after ${status}: the message was not sent`,
      answers: [TOKEN, { status, headers: { location: 'https://example.com/' }, body: 'no' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID.map(({ it, answers = [], outcome }): TeamsCase => ({
      it,
      answers: [TOKEN, ...answers],
      outcome,
    })),
    ...(['reset', 'close', 'garbage'] as const).map((connectionFault): TeamsCase => ({
      it: `retries after a broken response: ${connectionFault}`,
      answers: [TOKEN, connectionFault],
      outcome: transient(true),
    })),
    {
      it: 'edits a message',
      calls: 'edit',
      earlier: EARLIER,
      message: { text: '<new>' },
      sees: [
        ISSUE,
        { method: 'PUT', path: pathTo(CHANNEL, `/${BEFORE}`), json: { id: BEFORE, text: '<new>' } },
      ],
      outcome: { outcome: 'sent', id: BEFORE },
    },
    {
      it: 'cannot edit a missing message',
      calls: 'edit',
      earlier: { id: '7', recipient: CHANNEL },
      outcome: {
        outcome: 'permanent',
        blame: 'unsupported',
        code: 'ActivityNotFoundInConversation',
      },
    },
    ...[BEFORE, '7'].map((id): TeamsCase => ({
      it: `deletes ${id} whether or not it still exists`,
      calls: 'remove',
      earlier: { id, recipient: CHANNEL },
      sees: [ISSUE, { method: 'DELETE', path: pathTo(CHANNEL, `/${id}`), text: '' }],
      outcome: { outcome: 'sent' },
    })),
    ...(['edit', 'remove'] as const).map((calls): TeamsCase => ({
      it: `sends no request to ${calls} a message with a malformed id`,
      calls,
      earlier: { id: '..', recipient: CHANNEL },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'content' },
    })),

    {
      it: 'check: accepts the app and sends nothing',
      calls: 'check',
      sees: [ISSUE],
      outcome: { outcome: 'known', as: `the app ${APP}`, account: APP },
    },
    {
      it: 'check: rejects a wrong password',
      calls: 'check',
      credentials: { secret: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'invalid_client' },
    },
  ],
});
