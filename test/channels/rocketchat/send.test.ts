import assert from 'node:assert/strict';

import { rocketchat } from '../../../src/channels/rocketchat/channel.ts';
import {
  BEFORE,
  ROOM,
  TOKEN,
  USER,
  limited,
  openRocketchat,
  rocketchatError,
} from '../../emulators/rocketchat.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_ADDRESS, WITHOUT_TOKEN } from '../self-hosted.ts';
import { type Case, testChannel } from '../suite.ts';
import { OPTION_CASES } from './options.ts';
import { UPLOADS } from './uploads.ts';

type RocketchatCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: `${ROOM}:message1` } as const;
const EARLIER = { id: `${ROOM}:${BEFORE}`, recipient: '#general' };

/** Each text and the request body expected for it. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  ...Object.fromEntries(Object.entries(ODD_TEXTS).map(([name, text]) => [name, [text]])),
  'Markdown characters': [
    '*a* _b_ ~c~ `d` [e](f) ||g|| <https://x|y>',
    '\\*a\\* \\_b\\_ \\~c\\~ \\`d\\` [e](f) ||g|| <https://x|y>',
  ],
  'heading-, quote- and list-like lines': [
    '# a\n> b\n- c\n* d\n12. e\nf > g - h',
    '\\# a\n> b\n- c\n\\* d\n12\\. e\nf > g - h',
  ],
  'backslashes unchanged': ['C:\\new \\* \\.', 'C:\\new \\\\* \\\\.'],
  'names unchanged': ['@all @here #general', '@all @here \\#general'],
  'email addresses unchanged': ['ada@example.org a@b'],
  'emoji names unchanged': [':smile: :a_b: :+1: 12:30:45', ':smile: :a\\_b: :+1: 12:30:45'],
  'timestamps as plain text': ['<t:1630360800:R>', '\\<t:1630360800:R>'],
  'addresses unchanged': ['see https://example.com/a_b_c*d*#e (www.example.com/a_b) e.org/c_d'],
  'the longest text': ['x'.repeat(5000)],
  'the longest text of emoji': ['👋'.repeat(2500)],
};

const texts = Object.entries(TEXTS).map(([name, [text, request = text]]): RocketchatCase => ({
  it: `sends ${name}`,
  message: { text },
  sees: [
    {
      method: 'POST',
      path: '/api/v1/chat.postMessage',
      json: { roomId: '#general', text: request },
    },
  ],
  outcome: SENT,
}));

const refusal = (
  blame: 'credentials' | 'recipient' | 'content',
  error: string,
  code = '400',
  status = 400,
): RocketchatCase => ({
  it: `blames the ${blame} for ${error}`,
  answers: [rocketchatError(error, undefined, status)],
  outcome: { outcome: 'permanent', blame, code, detail: error },
});

const unsupported = (code?: string) =>
  ({ outcome: 'permanent', blame: 'unsupported', ...(code !== undefined && { code }) }) as const;

const imageObject = { type: 'Image', url: 'https://example.com/a.png', name: 'a.png' } as const;

testChannel(rocketchat, {
  open: openRocketchat,
  credentials: ({ url }) => ({ address: url, username: USER, token: TOKEN }),
  recipient: '#general',
  cases: [
    ...OPTION_CASES,
    ...texts,
    {
      it: 'authenticates in headers',
      sees: [
        {
          headers: {
            'x-auth-token': TOKEN,
            'x-user-id': USER,
            'content-type': 'application/json',
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: 'x'.repeat(5001) },
      sees: [{}, { json: { text: 'x' } }],
      outcome: { outcome: 'sent', id: `${ROOM}:message2` },
    },
    ...(
      [
        ['@ada', 'direct.ada'],
        ['#日本語', 'room.日本語'],
        [ROOM, ROOM],
      ] as const
    ).map(([recipient, room]): RocketchatCase => ({
      it: `sends to ${recipient}`,
      message: { recipient },
      sees: [{ json: { roomId: recipient } }],
      outcome: { outcome: 'sent', id: `${room}:message1` },
    })),
    {
      it: 'treats a success without a message as sent',
      answers: [{ status: 200, body: { success: true } }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'sends formatted text as Markdown and escapes everything else',
      message: {
        text: '**bo_ld** *it* ~~no~~ `x*y` [a](https://example.com/a_(b)) @all\n\n```\ncode *\n```',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        {
          json: {
            text: '*bo\\_ld* _it_ ~no~ `x*y` [a](https://example.com/a_%28b%29) @all\n\n```\ncode *\n```\n',
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends an image with a caption',
      message: { object: { ...imageObject, content: 'a *caption*' } },
      sees: [
        {
          json: {
            text: 'a \\*caption\\*',
            attachments: [{ title: 'a.png', image_url: 'https://example.com/a.png' }],
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends an image without a caption',
      message: { object: imageObject },
      also: ([seen]) => assert.ok(!seen?.text.includes('"text"')),
      outcome: SENT,
    },
    ...UPLOADS,
    ...[
      { object: { inReplyTo: BEFORE } },
      { object: { inReplyTo: EARLIER.id } },
      { context: EARLIER.id },
    ].map((message): RocketchatCase => ({
      it: `replies in a thread: ${JSON.stringify(message)}`,
      message,
      sees: [{ json: { tmid: BEFORE } }],
      outcome: SENT,
    })),

    {
      it: 'blames the recipient when the room does not exist',
      message: { recipient: '#nowhere' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: 'invalid-channel' },
    },
    {
      it: 'blames the credentials when the token is wrong',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401', detail: 'logged in' },
    },
    refusal('recipient', 'The room is archived [error-room-archived]', 'error-room-archived'),
    refusal('recipient', 'unauthorized', '403', 403),
    refusal('content', 'error-message-size-exceeded'),
    refusal('content', 'Match error: Invalid href value provided'),
    refusal('content', 'something new'),
    refusal('content', 'The message is too long for this room'),
    ...WITHOUT_ADDRESS,
    ...WITHOUT_TOKEN,
    {
      it: 'sends no request with a malformed user id',
      credentials: { username: 'a b' },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    },

    {
      it: 'rate limited: waits as many seconds as the response says',
      answers: [limited({ 'x-ratelimit-reset': '1' }, { timeToReset: 45_100, seconds: 46 })],
      outcome: {
        outcome: 'limited',
        scope: 'integration',
        seconds: 46,
        code: 'error-too-many-requests',
      },
    },
    {
      it: 'rate limited: waits when the time in the header has passed',
      answers: [limited({ 'x-ratelimit-reset': '1700000000000' })],
      outcome: {
        outcome: 'limited',
        scope: 'integration',
        seconds: 0,
        code: 'error-too-many-requests',
      },
    },
    {
      it: 'rate limited: waits when the response gives no time',
      answers: [{ status: 429, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', code: '429' },
    },
    {
      it: 'retries after a server error: the message may have been sent',
      answers: [rocketchatError('Internal server error', undefined, 500)],
      outcome: { ...transient(true, '500'), detail: 'Internal server error' },
    },
    ...BEHIND_GATEWAY,
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'edits a message',
      calls: 'edit',
      earlier: EARLIER,
      message: { text: '*after*' },
      sees: [
        {
          path: '/api/v1/chat.update',
          text: JSON.stringify({ roomId: ROOM, msgId: BEFORE, text: '\\*after\\*' }),
        },
      ],
      outcome: { outcome: 'sent', id: EARLIER.id },
    },
    {
      it: 'cannot edit a missing message',
      calls: 'edit',
      earlier: { ...EARLIER, id: `${ROOM}:none` },
      outcome: unsupported('400'),
    },
    {
      it: 'cannot replace a message with an image',
      calls: 'edit',
      earlier: EARLIER,
      message: { object: imageObject },
      sees: [],
      outcome: unsupported(),
    },
    {
      it: 'deletes a message',
      calls: 'remove',
      earlier: EARLIER,
      sees: [{ path: '/api/v1/chat.delete', json: { roomId: ROOM, msgId: BEFORE } }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'treats deleting a missing message as done',
      calls: 'remove',
      earlier: { ...EARLIER, id: `${ROOM}:none` },
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete a message without permission',
      calls: 'remove',
      earlier: EARLIER,
      answers: [rocketchatError('Not allowed [error-action-not-allowed]')],
      outcome: unsupported('error-action-not-allowed'),
    },

    {
      it: 'check: names the token’s owner and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/api/v1/me' }],
      outcome: { outcome: 'known', as: '@example.bot' },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
  ],
});
