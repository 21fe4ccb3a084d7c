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
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_SENSE, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';
import { cardCases } from './cards.ts';

type TeamsCase = Case<Request, Reply | Accident>;

const { channel: CHANNEL, group: GROUP, person: PERSON } = CONVERSATIONS;
const ISSUE = { method: 'POST', path: '/botframework.com/oauth2/v2.0/token' };
const pathTo = (id: string, more = '') =>
  `/v3/conversations/${encodeURIComponent(id)}/activities${more}`;
const SENT = { outcome: 'sent', id: '1700000000001' } as const;
const EARLIER = { id: BEFORE, recipient: CHANNEL };
/** What comes before anything else that the peer is told to answer. */
const TOKEN: Reply = { status: 200, body: { access_token: 'fake-token-0', expires_in: 3599 } };

/** What must arrive as it was written. */
const TEXTS = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'text from right to left': 'שלום עולם مرحبا \u202eabc\u202c',
  'what would be markup': '**b** _i_ `c` <b>b</b> &amp; <at>all</at> [a](https://example.com)',
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
    ...texts,
    ...[PERSON, GROUP].map((recipient): TeamsCase => ({
      it: `sends to ${recipient.slice(0, 10)}…`,
      message: { recipient },
      sees: [ISSUE, { path: pathTo(recipient) }],
      outcome: SENT,
    })),
    {
      it: 'says who it is, with a token that it asks for',
      sees: [
        { ...ISSUE, form: { client_id: APP, scope: 'https://api.botframework.com/.default' } },
        { headers: { authorization: 'Bearer fake-token-1', 'content-type': 'application/json' } },
      ],
      outcome: SENT,
    },
    {
      it: 'asks the tenant’s own directory where there is one',
      credentials: { username: TENANT },
      sees: [{ path: `/${TENANT}/oauth2/v2.0/token` }, {}],
      outcome: SENT,
    },
    {
      it: 'cuts what is too long in two',
      message: { text: `${'x'.repeat(40_000)} yz` },
      sees: [ISSUE, { json: { text: 'x'.repeat(40_000) } }, { json: { text: 'yz' } }],
      outcome: { outcome: 'sent', id: '1700000000002' },
    },
    {
      it: 'writes what has looks',
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
      it: 'sends lists and headings as such, and tables as lines',
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
          'below a message of a channel',
          CHANNEL,
          { context: BEFORE },
          `${CHANNEL};messageid=${BEFORE}`,
          '',
        ],
        [
          'a message of a channel below it',
          CHANNEL,
          { object: { inReplyTo: BEFORE } },
          `${CHANNEL};messageid=${BEFORE}`,
          '',
        ],
        [
          'below another message of a channel',
          `${CHANNEL};messageid=1`,
          { context: BEFORE },
          `${CHANNEL};messageid=${BEFORE}`,
          '',
        ],
        ['a message of a chat', PERSON, { object: { inReplyTo: BEFORE } }, PERSON, `/${BEFORE}`],
        ['in a chat, which has no threads', PERSON, { context: BEFORE }, PERSON, ''],
      ] as const
    ).map(([what, recipient, message, conversation, more]): TeamsCase => ({
      it: `answers ${what}`,
      message: { recipient, ...message },
      sees: [
        ISSUE,
        { path: pathTo(conversation, more), json: { conversation: { id: conversation } } },
      ],
      outcome: SENT,
    })),

    {
      it: 'asks for another token when the one it has is not known any longer',
      answers: [TOKEN, teamsError(401, 'Unauthorized')],
      sees: [ISSUE, {}, ISSUE, {}],
      outcome: SENT,
    },
    {
      it: 'asks for another token once and no more',
      answers: [TOKEN, { status: 401, body: {} }, TOKEN, { status: 401, body: {} }],
      sees: [ISSUE, {}, ISSUE, {}],
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    {
      it: 'blames the credentials when there is no token for them, in one line',
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
      it: `asks nobody about ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),
    ...(['reset', { status: 500, body: 'x' }, { status: 429, body: 'x' }] as const).map(
      (answer, i): TeamsCase => ({
        it: `tries again when no token is given this time (${i + 1})`,
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
      it: 'blames the content when it is empty',
      message: { text: ' \n ' },
      outcome: { outcome: 'permanent', blame: 'content', code: 'BadSyntax' },
    },
    ...([{ 'retry-after': '7' }, {}] as const).map((headers): TeamsCase => ({
      it: `waits when it is told ${JSON.stringify(headers)}`,
      answers: [TOKEN, { status: 429, headers, body: { error: { code: 'Throttled' } } }],
      outcome: {
        outcome: 'limited',
        whom: 'recipient',
        ...('retry-after' in headers && { seconds: 7 }),
        code: 'Throttled',
      },
    })),
    ...([500, 502, 504] as const).map((status): TeamsCase => ({
      it: `tries again after ${status}, when it may have been sent`,
      answers: [TOKEN, { status, body: '<html>' }],
      outcome: transient(true, String(status)),
    })),
    ...([302, 403, 404, 412, 503] as const).map((status): TeamsCase => ({
      it: `tries again after ${status}, when it was surely not sent`,
      answers: [TOKEN, { status, headers: { location: 'https://example.com/' }, body: 'no' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_SENSE.map(({ it, answers = [], outcome }): TeamsCase => ({
      it,
      answers: [TOKEN, ...answers],
      outcome,
    })),
    ...(['reset', 'close', 'garbage'] as const).map((accident): TeamsCase => ({
      it: `tries again after an answer that is none: ${accident}`,
      answers: [TOKEN, accident],
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
      it: 'cannot edit a message that is not there',
      calls: 'edit',
      earlier: { id: '7', recipient: CHANNEL },
      outcome: {
        outcome: 'permanent',
        blame: 'unsupported',
        code: 'ActivityNotFoundInConversation',
      },
    },
    ...[BEFORE, '7'].map((id): TeamsCase => ({
      it: `deletes ${id}, or has done so already`,
      calls: 'remove',
      earlier: { id, recipient: CHANNEL },
      sees: [ISSUE, { method: 'DELETE', path: pathTo(CHANNEL, `/${id}`), text: '' }],
      outcome: { outcome: 'sent' },
    })),
    ...(['edit', 'remove'] as const).map((calls): TeamsCase => ({
      it: `asks nobody to ${calls} by an id that is none`,
      calls,
      earlier: { id: '..', recipient: CHANNEL },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'content' },
    })),

    {
      it: 'tells whether it is an app, and sends nothing',
      calls: 'check',
      sees: [ISSUE],
      outcome: { outcome: 'known', as: `the app ${APP}` },
    },
    {
      it: 'tells that a password is wrong',
      calls: 'check',
      credentials: { secret: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'invalid_client' },
    },
  ],
});
