import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { telegram } from '../../../src/channels/telegram/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import {
  CHATS,
  TOKEN,
  openTelegram,
  telegramError,
  tooManyRequests,
} from '../../emulators/telegram.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';
import { OPTION_CASES } from './options.ts';
import { FORMS } from './renderers.ts';

type TelegramCase = Case<Request, Reply | ConnectionFault>;

const SEND = { method: 'POST', path: `/bot${TOKEN}/sendMessage` };

/** Texts that must arrive unchanged. */
const TEXTS = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'Markdown-like text': '*bold* _italic_ [a](https://example.com) `code` \\_ ||spoiler||',
  'HTML-like text': '<b>bold</b> &amp; <a href="https://example.com">a</a>',
  'line breaks, tabs and quotes': 'one\ntwo\r\n\t"three" \\ four\u2028five',
  'the longest text': 'x'.repeat(4096),
  'the longest text of emoji': '👋'.repeat(2048),
};

const texts = Object.entries(TEXTS).map(([name, text]): TelegramCase => ({
  it: `sends ${name}`,
  message: { text },
  sees: [{ ...SEND, json: { chat_id: CHATS.person, text } }],
  outcome: { outcome: 'sent', id: `${CHATS.person}:101` },
}));

const refusal = (
  sentence: string,
  answer: Reply,
  blame: 'credentials' | 'recipient' | 'content' | 'unsupported',
  detail?: string,
): TelegramCase => ({
  it: sentence,
  answers: [answer],
  outcome: {
    outcome: 'permanent',
    blame,
    code: String(answer.status),
    ...(detail !== undefined && { detail }),
  },
});

testChannel(telegram, {
  open: openTelegram,
  credentials: { token: TOKEN, secret: 'canary-of-the-hook' },
  recipient: CHATS.person,
  cases: [
    ...OPTION_CASES,
    ...texts,
    ...FORMS,
    {
      it: 'sends to an id over 32 bits',
      message: { recipient: CHATS.large },
      sees: [{ json: { chat_id: CHATS.large } }],
      outcome: { outcome: 'sent', id: `${CHATS.large}:101` },
    },
    {
      it: 'sends to a group',
      message: { recipient: CHATS.group },
      outcome: { outcome: 'sent', id: `${CHATS.group}:101` },
    },
    {
      it: 'returns the channel id after sending to a channel name',
      message: { recipient: CHATS.channel },
      outcome: { outcome: 'sent', id: '-1009999999999:101' },
    },
    {
      it: 'follows a migrated group in the same attempt',
      message: { recipient: CHATS.migrated },
      sees: [{ json: { chat_id: CHATS.migrated } }, { ...SEND, json: { chat_id: CHATS.group } }],
      outcome: { outcome: 'sent', id: `${CHATS.group}:101`, detail: CHATS.group },
    },
    {
      it: 'follows a migration only once',
      message: { recipient: CHATS.migrated },
      answers: [1, 2].map(() =>
        telegramError(400, 'Bad Request: group chat was upgraded', { migrate_to_chat_id: -43 }),
      ),
      sees: [SEND, SEND],
      outcome: { outcome: 'permanent', blame: 'recipient', code: '400' },
    },
    {
      it: 'treats a success without a message as sent',
      answers: [{ status: 200, body: { ok: true } }],
      outcome: { outcome: 'sent' },
    },

    {
      it: 'blames the recipient when the chat does not exist',
      message: { recipient: '1' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '400', detail: 'chat not found' },
    },
    ...([CHATS.blocked, CHATS.deactivated, CHATS.kicked] as const).map(
      (recipient): TelegramCase => ({
        it: `blames the recipient ${recipient}, who has blocked the bot`,
        message: { recipient },
        outcome: { outcome: 'permanent', blame: 'recipient', code: '403', detail: 'Forbidden: ' },
      }),
    ),
    {
      it: 'blames the content when the text is empty',
      message: { text: ' \n ' },
      outcome: { outcome: 'permanent', blame: 'content', code: '400', detail: 'text is empty' },
    },
    {
      it: 'blames the credentials when the token is wrong',
      credentials: { token: '4242:fake-token-that-was-revoked' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401', detail: 'Unauthorized' },
    },
    ...['', 'canary', '1:fake/../../x', '1:fake?x=', '1:fake\r\nx: y', 'x:fake'].map(
      (token): TelegramCase => ({
        it: `sends no request with the malformed token ${JSON.stringify(token)}`,
        credentials: { token },
        sees: [],
        outcome: { outcome: 'permanent', blame: 'credentials' },
      }),
    ),
    refusal(
      'blames the credentials when the bot does not exist',
      telegramError(404, 'Not Found'),
      'credentials',
    ),
    refusal(
      'blames the credentials when the server does not serve this bot',
      telegramError(421, 'Misdirected Request: unallowed token specified'),
      'credentials',
    ),
    refusal(
      'blames the content when Telegram finds it too long',
      telegramError(400, 'Bad Request: MESSAGE_TOO_LONG'),
      'content',
    ),
    refusal(
      'blames the content for an unknown Telegram error',
      telegramError(400, 'Bad Request: SOMETHING_NEW'),
      'content',
    ),
    refusal(
      'blames the recipient when the bot may not write to it',
      telegramError(400, 'Bad Request: not enough rights to send text messages to the chat'),
      'recipient',
      'not enough rights',
    ),

    {
      it: 'rate limited: waits with everything when a user gets too many messages',
      answers: [tooManyRequests(17)],
      outcome: {
        outcome: 'limited',
        scope: 'integration',
        seconds: 17,
        code: '429',
        detail: 'retry after 17',
      },
    },
    ...([CHATS.group, CHATS.channel] as const).map((recipient): TelegramCase => ({
      it: `rate limited: waits with ${recipient} only when it gets too many messages`,
      message: { recipient },
      answers: [tooManyRequests(40)],
      outcome: { outcome: 'limited', scope: 'recipient', seconds: 40, code: '429' },
    })),
    {
      it: 'rate limited: waits when the response gives no time',
      answers: [telegramError(429, 'Too Many Requests')],
      outcome: { outcome: 'limited', scope: 'integration', code: '429' },
    },

    {
      it: 'retries after a server error: the message may have been sent',
      answers: [telegramError(500, 'Internal Server Error: request aborted')],
      outcome: { ...transient(true, '500'), detail: 'request aborted' },
    },
    ...([502, 504] as const).map((status): TelegramCase => ({
      it: `retries after ${status} from a gateway: the message may have been sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(true, String(status)),
    })),
    {
      it: 'retries after 503: the message was not sent',
      answers: [{ status: 503, body: '' }],
      outcome: transient(false, '503'),
    },
    ...([302, 403, 404] as const).map((status): TelegramCase => ({
      it: `retries after ${status} from something other than Telegram`,
      answers: [{ status, headers: { location: 'https://example.com/' }, body: 'blocked' }],
      sees: [SEND],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'edits a message',
      calls: 'edit',
      earlier: { id: `${CHATS.person}:7`, recipient: CHATS.person },
      message: { text: 'after *that*' },
      sees: [
        {
          method: 'POST',
          path: `/bot${TOKEN}/editMessageText`,
          json: { chat_id: CHATS.person, message_id: 7, text: 'after *that*' },
        },
      ],
      outcome: { outcome: 'sent', id: `${CHATS.person}:7` },
    },
    {
      it: 'treats an unchanged edit as done',
      calls: 'edit',
      earlier: { id: `${CHATS.person}:7`, recipient: CHATS.person },
      message: { text: 'before' },
      outcome: { outcome: 'sent', id: `${CHATS.person}:7` },
    },
    {
      it: 'cannot edit a missing message',
      calls: 'edit',
      earlier: { id: `${CHATS.person}:8`, recipient: CHATS.person },
      outcome: { outcome: 'permanent', blame: 'unsupported', code: '400', detail: 'not found' },
    },
    {
      it: 'deletes a message',
      calls: 'remove',
      earlier: { id: `${CHATS.person}:7`, recipient: CHATS.person },
      sees: [
        { path: `/bot${TOKEN}/deleteMessage`, json: { chat_id: CHATS.person, message_id: 7 } },
      ],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'treats deleting a missing message as done',
      calls: 'remove',
      earlier: { id: `${CHATS.person}:8`, recipient: CHATS.person },
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete a message that is too old',
      calls: 'remove',
      earlier: { id: `${CHATS.person}:7`, recipient: CHATS.person },
      answers: [telegramError(400, "Bad Request: message can't be deleted for everyone")],
      outcome: { outcome: 'permanent', blame: 'unsupported', code: '400' },
    },

    {
      it: 'check: names the token’s owner and sends nothing',
      calls: 'check',
      sees: [{ path: `/bot${TOKEN}/getMe` }],
      outcome: { outcome: 'known', as: '@example_bot' },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: '1:fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    {
      it: 'check: retries when the vendor is down',
      calls: 'check',
      answers: [{ status: 502, body: '' }],
      outcome: transient(true, '502'),
    },
  ],
});

describe('the sending rate of telegram', () => {
  it('the sending rate of telegram is lower for groups and channels than for users', () => {
    assert.equal(telegram.pace?.recipient?.(CHATS.person), 1);
    assert.equal(telegram.pace?.recipient?.(CHATS.group), 3);
    assert.equal(telegram.pace?.recipient?.(CHATS.channel), 3);
  });
});
