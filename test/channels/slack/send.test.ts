import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { slack } from '../../../src/channels/slack/channel.ts';
import { unstyled } from '../../../src/lib/rich-text/rich-text.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import {
  CLIENT,
  EXPIRED,
  REFRESH,
  TOKEN,
  openSlack,
  rateLimited,
  renewed,
  slackError,
} from '../../emulators/slack/api.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';
import { OPTION_CASES } from './options.ts';
import { FORMS } from './renderers.ts';
import { UPLOADS } from './uploads.ts';

type SlackCase = Case<Request, Reply | ConnectionFault>;

const CHANNEL = 'C0123456789';
const FIRST = '1794700800.000001';
const EARLIER = { id: `${CHANNEL}:1503435956.000247`, recipient: CHANNEL };

/** Each text and the request body expected for it. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  'ordinary text': ['Good morning!'],
  emoji: ['👩‍👩‍👧‍👦 🏳️‍🌈 :wave:'],
  'right-to-left text': ['שלום עולם مرحبا \u202eabc\u202c'],
  'line breaks, tabs and quotes': ['one\ntwo\r\n\t"three" \\ four\u2028five'],
  'a channel mention as plain text': ['<!channel> <!here|x>', '&lt;!channel&gt; &lt;!here|x&gt;'],
  'a mention as plain text': ['<@U0123456789> <#C1>', '&lt;@U0123456789&gt; &lt;#C1&gt;'],
  'a link as plain text': ['<https://a.example|b>', '&lt;https://a.example|b&gt;'],
  'escaped text unchanged': ['&lt;!channel&gt;', '&amp;lt;!channel&amp;gt;'],
  'the longest text': ['x'.repeat(4000)],
  'the longest escaped text': ['&'.repeat(800), '&amp;'.repeat(800)],
  'markup-like text': ['*a* _b_ ~c~ `d` > e', '*a* _b_ ~c~ `d` &gt; e'],
};

const texts = Object.entries(TEXTS).map(([name, [text, request = text]]): SlackCase => ({
  it: `sends ${name}`,
  message: { text },
  sees: [
    {
      method: 'POST',
      path: '/chat.postMessage',
      json: { channel: CHANNEL, text: request, mrkdwn: false },
    },
  ],
  outcome: { outcome: 'sent', id: `${CHANNEL}:${FIRST}` },
}));

const BLAMED = {
  credentials: [
    'not_authed',
    'account_inactive',
    'token_revoked',
    'token_expired',
    'missing_scope',
    'ekm_access_denied',
    'org_login_required',
  ],
  recipient: ['user_not_found', 'restricted_action', 'messages_tab_disabled', 'cannot_dm_bot'],
  content: ['msg_too_long', 'no_text', 'invalid_blocks', 'something_new'],
} as const;

const refusals = Object.entries(BLAMED).flatMap(([blame, errors]) =>
  errors.map((error): SlackCase => ({
    it: `blames the ${blame} for ${error}`,
    answers: [slackError(error)],
    outcome: {
      outcome: 'permanent',
      blame: blame as keyof typeof BLAMED,
      code: error,
      detail: error,
    },
  })),
);

const rotating = { token: EXPIRED, refresh: REFRESH, ...CLIENT };
const ASK = { path: '/oauth.v2.access', form: { refresh_token: REFRESH } };
const POST = { path: '/chat.postMessage' };
const SENT = { outcome: 'sent', id: `${CHANNEL}:${FIRST}` } as const;

const ROTATION: SlackCase[] = [
  {
    it: 'refreshes an expired token and retries once',
    credentials: rotating,
    sees: [POST, ASK, { ...POST, headers: { authorization: `Bearer ${renewed(1).token}` } }],
    outcome: SENT,
  },
  {
    it: 'requests a token when it has none',
    credentials: { ...rotating, token: undefined },
    sees: [ASK, POST],
    outcome: SENT,
  },
  {
    it: 'requests no new token while the current one is valid',
    credentials: { ...rotating, token: TOKEN },
    sees: [POST],
    outcome: SENT,
  },
  {
    it: 'requests no new token without a refresh token',
    credentials: { token: EXPIRED, refresh: REFRESH },
    sees: [POST],
    outcome: { outcome: 'permanent', blame: 'credentials', code: 'token_expired' },
  },
  {
    it: 'refreshes only once when the new token is refused as well',
    credentials: rotating,
    answers: [1, 2, 3].map((i) =>
      i === 2
        ? { status: 200, body: { ok: true, access_token: 'fake', refresh_token: 'fake-2' } }
        : slackError('token_revoked'),
    ),
    sees: [POST, ASK, POST],
    outcome: { outcome: 'permanent', blame: 'credentials', code: 'token_revoked' },
  },
  ...(
    [
      [{ refresh: 'fake' }, 'invalid_refresh_token'],
      [{ consumer_secret: 'fake' }, 'bad_client_secret'],
    ] as const
  ).map(([wrong, code]): SlackCase => ({
    it: `blames the credentials for ${code}`,
    credentials: { ...rotating, ...wrong },
    outcome: { outcome: 'permanent', blame: 'credentials', code },
  })),
  ...(
    [
      [
        rateLimited(7),
        { outcome: 'limited', scope: 'integration', seconds: 7, code: 'ratelimited' },
      ],
      [
        slackError('something_new'),
        { outcome: 'permanent', blame: 'credentials', code: 'something_new' },
      ],
      [slackError('internal_error'), transient(false, 'internal_error')],
      [{ status: 502, body: '' }, transient(false, '502')],
      ['empty', transient(false, '200')],
      ['reset', transient(false)],
    ] as const
  ).map(([answer, outcome]): SlackCase => ({
    it: `the message was not sent when the token request failed: ${JSON.stringify(answer)}`,
    credentials: { ...rotating, token: undefined },
    answers: [answer],
    sees: [ASK],
    outcome,
  })),
];

testChannel(slack, {
  open: openSlack,
  credentials: { token: TOKEN, secret: 'canary-of-the-hook' },
  recipient: CHANNEL,
  cases: [
    ...OPTION_CASES,
    ...texts,
    ...FORMS,
    ...UPLOADS,
    ...ROTATION,
    {
      it: 'authenticates in a header and sends only the needed fields',
      sees: [
        {
          headers: {
            authorization: `Bearer ${TOKEN}`,
            'content-type': 'application/json; charset=utf-8',
          },
          text: JSON.stringify({ channel: CHANNEL, text: 'Good morning!', mrkdwn: false }),
        },
      ],
      outcome: { outcome: 'sent', id: `${CHANNEL}:${FIRST}` },
    },
    {
      it: 'returns the conversation id after sending to a user',
      message: { recipient: 'U0123456789' },
      outcome: { outcome: 'sent', id: `D0123456789:${FIRST}` },
    },
    {
      it: 'sends to a channel name',
      message: { recipient: '#general' },
      sees: [{ json: { channel: '#general' } }],
      outcome: { outcome: 'sent', id: `${CHANNEL}:${FIRST}` },
    },
    {
      it: 'finds the message id in a response that is too long to be read to the end',
      answers: [
        {
          status: 200,
          body: `{"ok":true,"channel":"${CHANNEL}","ts":"${FIRST}","message":{"text":"${'x'.repeat(70_000)}"}}`,
        },
      ],
      outcome: { outcome: 'sent', id: `${CHANNEL}:${FIRST}` },
    },
    {
      it: 'treats a confirmation too long to contain the id as sent',
      answers: [
        { status: 200, body: `{ "ok" : true, "message": {"text":"${'x'.repeat(70_000)}"}}` },
      ],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'recognizes a long refusal',
      answers: [{ status: 200, body: `{"ok":false,"x":"${'"ok":true'.repeat(9000)}"}` }],
      outcome: transient(false, 'unreadable_error'),
    },

    ...refusals,
    {
      it: 'blames the recipient when the conversation does not exist',
      message: { recipient: 'C9999999999' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: 'channel_not_found' },
    },
    {
      it: 'blames the recipient when the conversation is archived',
      message: { recipient: 'CARCHIVED01' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: 'is_archived' },
    },
    {
      it: 'blames the recipient when the bot is not in the conversation',
      message: { recipient: 'CFOREIGN001' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: 'not_in_channel' },
    },
    {
      it: 'blames the content when the text is empty',
      message: { text: ' ' },
      outcome: { outcome: 'permanent', blame: 'content', code: 'no_text' },
    },
    {
      it: 'blames the credentials when the token is wrong',
      credentials: { token: 'xoxb-fake-token-that-was-revoked' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'invalid_auth' },
    },
    ...['', 'fake token', 'fake\r\nx: y', 'fake\u0000', 'fäke'].map((token): SlackCase => ({
      it: `sends no request with the malformed token ${JSON.stringify(token)}`,
      credentials: { token },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),

    {
      it: 'rate limited: waits as long as the response says',
      answers: [rateLimited(30)],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 30, code: 'ratelimited' },
    },
    {
      it: 'rate limited: waits when neither the response nor its status gives a time',
      answers: [slackError('rate_limited')],
      outcome: { outcome: 'limited', scope: 'integration', code: 'rate_limited' },
    },
    {
      it: 'rate limited: waits when the response is not JSON',
      answers: [{ status: 429, headers: { 'retry-after': '3' }, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 3, code: '429' },
    },

    ...(['internal_error', 'fatal_error'] as const).map((error): SlackCase => ({
      it: `retries after ${error}: part of it may have been done`,
      answers: [slackError(error)],
      outcome: transient(true, error),
    })),
    ...(['service_unavailable', 'request_timeout', 'team_added_to_org'] as const).map(
      (error): SlackCase => ({
        it: `retries after ${error}: nothing was done`,
        answers: [slackError(error)],
        outcome: transient(false, error),
      }),
    ),
    ...([500, 502, 504] as const).map((status): SlackCase => ({
      it: `retries after ${status}: the message may have been sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(true, String(status)),
    })),
    ...([302, 403, 404, 503] as const).map((status): SlackCase => ({
      it: `retries after ${status}: the message was not sent`,
      answers: [{ status, headers: { location: 'https://example.com/' }, body: 'no' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'edits a message and escapes its new text',
      calls: 'edit',
      earlier: EARLIER,
      message: { text: '<!channel> & co' },
      sees: [
        {
          path: '/chat.update',
          json: {
            channel: CHANNEL,
            ts: '1503435956.000247',
            text: '&lt;!channel&gt; &amp; co',
            parse: 'none',
          },
        },
      ],
      outcome: { outcome: 'sent', id: EARLIER.id },
    },
    {
      it: 'cannot edit a missing message',
      calls: 'edit',
      earlier: { id: `${CHANNEL}:1.000001`, recipient: CHANNEL },
      outcome: { outcome: 'permanent', blame: 'unsupported', code: 'message_not_found' },
    },
    {
      it: 'cannot edit a message after the edit window',
      calls: 'edit',
      earlier: EARLIER,
      answers: [slackError('edit_window_closed')],
      outcome: { outcome: 'permanent', blame: 'unsupported', code: 'edit_window_closed' },
    },
    {
      it: 'deletes a message',
      calls: 'remove',
      earlier: EARLIER,
      sees: [{ path: '/chat.delete', json: { channel: CHANNEL, ts: '1503435956.000247' } }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'treats deleting a missing message as done',
      calls: 'remove',
      earlier: { id: `${CHANNEL}:1.000001`, recipient: CHANNEL },
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete a message without permission',
      calls: 'remove',
      earlier: EARLIER,
      answers: [slackError('cant_delete_message')],
      outcome: { outcome: 'permanent', blame: 'unsupported', code: 'cant_delete_message' },
    },

    {
      it: 'check: names the token’s owner and sends nothing',
      calls: 'check',
      sees: [{ path: '/auth.test' }],
      outcome: { outcome: 'known', as: 'bot at Example' },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'invalid_auth' },
    },
    {
      it: 'check: is limited when it asks too often',
      calls: 'check',
      answers: [rateLimited(5)],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 5, code: 'ratelimited' },
    },
  ],
});

describe('the length of a slack text', () => {
  it('the length of a slack text is that of the escaped text', () => {
    for (const [text, length] of [
      ['a&b', 7],
      ['<>', 8],
      ['👋', 2],
    ] as const) {
      const to = { recipient: '', credentials: {}, options: {} };
      assert.equal(slack.text?.measure(slack.text.write?.(unstyled(text), to) ?? ''), length);
    }
  });
});
