import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { telegram } from '../../../src/channels/telegram/channel.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import {
  CHATS,
  TOKEN,
  openTelegram,
  telegramError,
  tooManyRequests,
} from '../../emulators/telegram.ts';
import { WITHOUT_ANSWER, WITHOUT_SENSE, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';
import { FORMS } from './renderers.ts';

type TelegramCase = Case<Request, Reply | Accident>;

const SEND = { method: 'POST', path: `/bot${TOKEN}/sendMessage` };

/** What must arrive as it was written. */
const TEXTS = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'text from right to left': 'שלום עולם مرحبا \u202eabc\u202c',
  'what would be Markdown': '*bold* _italic_ [a](https://example.com) `code` \\_ ||spoiler||',
  'what would be HTML': '<b>bold</b> &amp; <a href="https://example.com">a</a>',
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
    ...texts,
    ...FORMS,
    {
      it: 'sends to an id that has more than 32 bits',
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
      it: 'knows a channel by its id, once it has sent to its name',
      message: { recipient: CHATS.channel },
      outcome: { outcome: 'sent', id: '-1009999999999:101' },
    },
    {
      it: 'follows a group that has moved, in the same send',
      message: { recipient: CHATS.migrated },
      sees: [{ json: { chat_id: CHATS.migrated } }, { ...SEND, json: { chat_id: CHATS.group } }],
      outcome: { outcome: 'sent', id: `${CHATS.group}:101`, detail: CHATS.group },
    },
    {
      it: 'follows a group once and no more',
      message: { recipient: CHATS.migrated },
      answers: [1, 2].map(() =>
        telegramError(400, 'Bad Request: group chat was upgraded', { migrate_to_chat_id: -43 }),
      ),
      sees: [SEND, SEND],
      outcome: { outcome: 'permanent', blame: 'recipient', code: '400' },
    },
    {
      it: 'takes a success without a message for a success',
      answers: [{ status: 200, body: { ok: true } }],
      outcome: { outcome: 'sent' },
    },

    {
      it: 'blames the recipient when there is no such chat',
      message: { recipient: '1' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '400', detail: 'chat not found' },
    },
    ...([CHATS.blocked, CHATS.deactivated, CHATS.kicked] as const).map(
      (recipient): TelegramCase => ({
        it: `blames the recipient ${recipient}, who does not want the bot`,
        message: { recipient },
        outcome: { outcome: 'permanent', blame: 'recipient', code: '403', detail: 'Forbidden: ' },
      }),
    ),
    {
      it: 'blames the content when it is empty',
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
        it: `asks nobody about the token ${JSON.stringify(token)}`,
        credentials: { token },
        sees: [],
        outcome: { outcome: 'permanent', blame: 'credentials' },
      }),
    ),
    refusal(
      'blames the credentials when there is no such address',
      telegramError(404, 'Not Found'),
      'credentials',
    ),
    refusal(
      'blames the credentials when the server is not for this bot',
      telegramError(421, 'Misdirected Request: unallowed token specified'),
      'credentials',
    ),
    refusal(
      'blames the content when Telegram finds it too long after all',
      telegramError(400, 'Bad Request: MESSAGE_TOO_LONG'),
      'content',
    ),
    refusal(
      'blames the content for what Telegram has never said before',
      telegramError(400, 'Bad Request: SOMETHING_NEW'),
      'content',
    ),
    refusal(
      'blames the recipient when the bot may not write there',
      telegramError(400, 'Bad Request: not enough rights to send text messages to the chat'),
      'recipient',
      'not enough rights',
    ),

    {
      it: 'waits as long as it is told, with everything, when a person is written to too often',
      answers: [tooManyRequests(17)],
      outcome: {
        outcome: 'limited',
        whom: 'integration',
        seconds: 17,
        code: '429',
        detail: 'retry after 17',
      },
    },
    ...([CHATS.group, CHATS.channel] as const).map((recipient): TelegramCase => ({
      it: `waits with ${recipient} alone, when it is written to too often`,
      message: { recipient },
      answers: [tooManyRequests(40)],
      outcome: { outcome: 'limited', whom: 'recipient', seconds: 40, code: '429' },
    })),
    {
      it: 'waits when it is not told how long',
      answers: [telegramError(429, 'Too Many Requests')],
      outcome: { outcome: 'limited', whom: 'integration', code: '429' },
    },

    {
      it: 'tries again after an error of the server, which may have sent it',
      answers: [telegramError(500, 'Internal Server Error: request aborted')],
      outcome: { ...transient(true, '500'), detail: 'request aborted' },
    },
    ...([502, 504] as const).map((status): TelegramCase => ({
      it: `tries again after ${status} of a gateway, behind which it may have been sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(true, String(status)),
    })),
    {
      it: 'tries again after 503, when it was surely not sent',
      answers: [{ status: 503, body: '' }],
      outcome: transient(false, '503'),
    },
    ...([302, 403, 404] as const).map((status): TelegramCase => ({
      it: `tries again after ${status} that is not Telegram's own`,
      answers: [{ status, headers: { location: 'https://example.com/' }, body: 'blocked' }],
      sees: [SEND],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_SENSE,
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
      it: 'has edited a message that reads as it should already',
      calls: 'edit',
      earlier: { id: `${CHATS.person}:7`, recipient: CHATS.person },
      message: { text: 'before' },
      outcome: { outcome: 'sent', id: `${CHATS.person}:7` },
    },
    {
      it: 'cannot edit a message that is not there',
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
      it: 'has deleted a message that is gone already',
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
      it: 'tells whose token it is, and sends nothing',
      calls: 'check',
      sees: [{ path: `/bot${TOKEN}/getMe` }],
      outcome: { outcome: 'known', as: '@example_bot' },
    },
    {
      it: "tells that a token is nobody's",
      calls: 'check',
      credentials: { token: '1:fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    {
      it: 'cannot tell whose token it is when the vendor is down',
      calls: 'check',
      answers: [{ status: 502, body: '' }],
      outcome: transient(true, '502'),
    },
  ],
});

describe('the pace of telegram', () => {
  it('is slower with groups and channels than with people', () => {
    assert.equal(telegram.pace?.recipient?.(CHATS.person), 1);
    assert.equal(telegram.pace?.recipient?.(CHATS.group), 3);
    assert.equal(telegram.pace?.recipient?.(CHATS.channel), 3);
  });
});
