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
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_SENSE, transient } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_ADDRESS, WITHOUT_TOKEN } from '../own-server.ts';
import { type Case, testChannel } from '../suite.ts';
import { UPLOADS } from './uploads.ts';

type RocketchatCase = Case<Request, Reply | Accident>;

const SENT = { outcome: 'sent', id: `${ROOM}:message1` } as const;
const EARLIER = { id: `${ROOM}:${BEFORE}`, recipient: '#general' };

/** What is written, and what must go over the wire. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  ...Object.fromEntries(Object.entries(ODD_TEXTS).map(([name, text]) => [name, [text]])),
  'signs of Markdown': [
    '*a* _b_ ~c~ `d` [e](f) ||g|| <https://x|y>',
    '\\*a\\* \\_b\\_ \\~c\\~ \\`d\\` [e](f) ||g|| <https://x|y>',
  ],
  'what would be headings, quotations and lists': [
    '# a\n> b\n- c\n* d\n12. e\nf > g - h',
    '\\# a\n> b\n- c\n\\* d\n12\\. e\nf > g - h',
  ],
  'backslashes as they are': ['C:\\new \\* \\.', 'C:\\new \\\\* \\\\.'],
  'names as they are': ['@all @here #general', '@all @here \\#general'],
  'mail addresses as they are': ['ada@example.org a@b'],
  'names of emoji as they are': [':smile: :a_b: :+1: 12:30:45', ':smile: :a\\_b: :+1: 12:30:45'],
  'times as text': ['<t:1630360800:R>', '\\<t:1630360800:R>'],
  'addresses as they are': ['see https://example.com/a_b_c*d*#e (www.example.com/a_b) e.org/c_d'],
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

const picture = { type: 'Image', url: 'https://example.com/a.png', name: 'a.png' } as const;

testChannel(rocketchat, {
  open: openRocketchat,
  credentials: ({ url }) => ({ address: url, username: USER, token: TOKEN }),
  recipient: '#general',
  cases: [
    ...texts,
    {
      it: 'says who it is in headers',
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
      it: 'sends a text that is one longer in two',
      message: { text: 'x'.repeat(5001) },
      sees: [{}, { json: { text: 'x' } }],
      outcome: { outcome: 'sent', id: `${ROOM}:message2` },
    },
    ...(
      [
        ['@ada', 'botada'],
        ['#日本語', 'nihongo'],
        [ROOM, ROOM],
      ] as const
    ).map(([recipient, room]): RocketchatCase => ({
      it: `sends to ${recipient}`,
      message: { recipient },
      sees: [{ json: { roomId: recipient } }],
      outcome: { outcome: 'sent', id: `${room}:message1` },
    })),
    {
      it: 'takes a success without a message for a success',
      answers: [{ status: 200, body: { success: true } }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'sends formatted text as Markdown, with other signs escaped',
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
      it: 'sends a picture with a caption',
      message: { object: { ...picture, content: 'a *caption*' } },
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
      it: 'sends a picture alone',
      message: { object: picture },
      also: ([seen]) => assert.ok(!seen?.text.includes('"text"')),
      outcome: SENT,
    },
    ...UPLOADS,
    ...[
      { object: { inReplyTo: BEFORE } },
      { object: { inReplyTo: EARLIER.id } },
      { context: EARLIER.id },
    ].map((message): RocketchatCase => ({
      it: `answers in a thread: ${JSON.stringify(message)}`,
      message,
      sees: [{ json: { tmid: BEFORE } }],
      outcome: SENT,
    })),

    {
      it: 'blames the recipient when there is no such room',
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
      it: 'asks nobody about a user id that is none',
      credentials: { username: 'a b' },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    },

    {
      it: 'waits as many seconds as it is told',
      answers: [limited({ 'x-ratelimit-reset': '1' }, { timeToReset: 45_100, seconds: 46 })],
      outcome: {
        outcome: 'limited',
        whom: 'integration',
        seconds: 46,
        code: 'error-too-many-requests',
      },
    },
    {
      it: 'waits until the moment that the header names, which has passed',
      answers: [limited({ 'x-ratelimit-reset': '1700000000000' })],
      outcome: {
        outcome: 'limited',
        whom: 'integration',
        seconds: 0,
        code: 'error-too-many-requests',
      },
    },
    {
      it: 'waits when it is not told how long',
      answers: [{ status: 429, body: 'slow down' }],
      outcome: { outcome: 'limited', whom: 'integration', code: '429' },
    },
    {
      it: 'tries again after an error of the server, which may have sent it',
      answers: [rocketchatError('Internal server error', undefined, 500)],
      outcome: { ...transient(true, '500'), detail: 'Internal server error' },
    },
    ...BEHIND_GATEWAY,
    ...WITHOUT_SENSE,
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
      it: 'cannot edit what is not there',
      calls: 'edit',
      earlier: { ...EARLIER, id: `${ROOM}:none` },
      outcome: unsupported('400'),
    },
    {
      it: 'cannot put a picture in the place of a message',
      calls: 'edit',
      earlier: EARLIER,
      message: { object: picture },
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
      it: 'has deleted a message that is gone already',
      calls: 'remove',
      earlier: { ...EARLIER, id: `${ROOM}:none` },
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete what it may not',
      calls: 'remove',
      earlier: EARLIER,
      answers: [rocketchatError('Not allowed [error-action-not-allowed]')],
      outcome: unsupported('error-action-not-allowed'),
    },

    {
      it: 'tells whose token it is, and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/api/v1/me' }],
      outcome: { outcome: 'known', as: '@example.bot' },
    },
    {
      it: "tells that a token is nobody's",
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
  ],
});
