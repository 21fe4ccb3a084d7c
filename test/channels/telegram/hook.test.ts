import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { telegram } from '../../../src/channels/telegram/channel.ts';
import { UPDATES } from '../../../src/channels/telegram/update.ts';
import { FILE, TOKEN, openTelegram } from '../../emulators/telegram.ts';
import { find, register } from '../hook-setup.ts';
import { HOOK_URL, type HookCase, testHook } from '../hooks.ts';
import { assertOutcome } from '../suite.ts';

/* https://core.telegram.org/bots/api#update */

const SECRET = 'fake-secret_of-a-webhook';
const ADA = { id: 123_456_789, is_bot: false, first_name: 'Ada', last_name: 'Lovelace' };
const CHAT = { id: ADA.id, type: 'private', first_name: 'Ada' };
const GROUP = { id: -1_001_234_567_890, type: 'supergroup', title: 'Engines', is_forum: true };
const CHANNEL = { id: -1_009_999_999_999, type: 'channel', title: 'News' };
const DATE = 1_794_700_800;

const ada = { id: '123456789', name: 'Ada Lovelace' };
const engines = { id: '-1001234567890', name: 'Engines' };
const first = { key: '10000', from: ada, at: DATE * 1000 };
const received = { ...first, what: 'message', id: '123456789:7' } as const;

const update = (more: object) => ({ body: { update_id: 10_000, ...more } });
const message = (more: object) =>
  update({ message: { message_id: 7, date: DATE, from: ADA, chat: CHAT, ...more } });
const inGroup = (more: object) => message({ chat: GROUP, ...more });
const file = (more: object) => ({ file_id: FILE, file_unique_id: 'AQAD', file_size: 7, ...more });

const cases: HookCase[] = [
  {
    it: 'receives a text',
    call: message({ text: 'Good morning! 👋' }),
    inboundEvents: [{ ...received, text: 'Good morning! 👋' }],
  },
  {
    it: 'appends the address of a text link',
    call: message({
      text: '👋 see here, or there.',
      entities: [
        { type: 'bold', offset: 0, length: 2 },
        { type: 'text_link', offset: 7, length: 4, url: 'https://example.com/a' },
        { type: 'text_link', offset: 16, length: 5, url: 'https://example.com/b' },
      ],
    }),
    inboundEvents: [
      {
        ...received,
        text: '👋 see here (https://example.com/a), or there (https://example.com/b).',
      },
    ],
  },
  {
    it: 'receives a message in a group topic with the id of the message it replies to',
    call: inGroup({
      text: 'Yes.',
      is_topic_message: true,
      message_thread_id: 3,
      reply_to_message: { message_id: 5, date: DATE, chat: GROUP },
    }),
    inboundEvents: [
      {
        ...received,
        id: '-1001234567890:7',
        group: engines,
        text: 'Yes.',
        thread: '-1001234567890:3',
        replyTo: '-1001234567890:5',
      },
    ],
  },
  {
    it: 'does not treat the message that opened a topic as replied to',
    call: inGroup({
      text: 'Yes.',
      is_topic_message: true,
      message_thread_id: 3,
      reply_to_message: { message_id: 3, date: DATE, chat: GROUP },
    }),
    inboundEvents: [
      {
        ...received,
        id: '-1001234567890:7',
        group: engines,
        text: 'Yes.',
        thread: '-1001234567890:3',
      },
    ],
  },
  {
    it: "receives a channel post in the channel's name, with ids over 32 bits",
    call: update({
      channel_post: { message_id: 8, date: DATE, sender_chat: CHANNEL, chat: CHANNEL, text: 'Hi' },
    }),
    inboundEvents: [
      {
        ...received,
        id: '-1009999999999:8',
        from: { id: '-1009999999999', name: 'News' },
        group: { id: '-1009999999999', name: 'News' },
        text: 'Hi',
      },
    ],
  },
  {
    it: 'receives the largest size of an image with its caption',
    call: message({
      photo: [file({ file_id: 'small', width: 90 }), file({ width: 1280 })],
      caption: 'The mill',
    }),
    inboundEvents: [
      {
        ...received,
        media: [{ type: 'Image', reference: FILE, mediaType: 'image/jpeg', caption: 'The mill' }],
      },
    ],
  },
  {
    it: 'receives a file with its name',
    call: message({ document: file({ file_name: 'mill.pdf', mime_type: 'application/pdf' }) }),
    inboundEvents: [
      {
        ...received,
        media: [
          {
            type: 'Document',
            reference: FILE,
            mediaType: 'application/pdf',
            name: 'mill.pdf',
          },
        ],
      },
    ],
  },
  {
    it: 'receives a voice message',
    call: message({ voice: file({ duration: 2, mime_type: 'audio/ogg' }) }),
    inboundEvents: [
      { ...received, media: [{ type: 'Audio', reference: FILE, mediaType: 'audio/ogg' }] },
    ],
  },
  {
    it: 'receives an animation once though it also comes as a document',
    call: message({
      animation: file({ mime_type: 'video/mp4' }),
      document: file({ mime_type: 'video/mp4' }),
    }),
    inboundEvents: [
      { ...received, media: [{ type: 'Video', reference: FILE, mediaType: 'video/mp4' }] },
    ],
  },
  ...(
    [
      [{}, 'Image', 'image/webp'],
      [{ is_video: true }, 'Video', 'video/webm'],
      [{ is_animated: true }, 'Document', 'application/x-tgsticker'],
    ] as const
  ).map(([kind, type, mediaType]): HookCase => ({
    it: `receives a sticker of type ${mediaType}`,
    call: message({ sticker: file({ type: 'regular', emoji: '👍', ...kind }) }),
    inboundEvents: [{ ...received, media: [{ type, reference: FILE, mediaType, caption: '👍' }] }],
  })),
  {
    it: 'receives a place',
    call: message({ location: { latitude: 51.5, longitude: -0.12 } }),
    inboundEvents: [{ ...received, place: { latitude: 51.5, longitude: -0.12 } }],
  },
  {
    it: 'receives a place with a name',
    call: message({
      location: { latitude: 51.5, longitude: -0.12 },
      venue: { location: { latitude: 51.5, longitude: -0.12 }, title: 'The mill', address: 'A' },
    }),
    inboundEvents: [{ ...received, place: { latitude: 51.5, longitude: -0.12, name: 'The mill' } }],
  },
  {
    it: 'receives a contact as a text',
    call: message({ contact: { first_name: 'Ada', phone_number: '+44 20', user_id: 1 } }),
    inboundEvents: [{ ...received, text: 'Ada +44 20' }],
  },
  {
    it: "receives an edit with the message's id and another key",
    call: update({
      edited_message: {
        message_id: 7,
        date: DATE,
        edit_date: DATE + 60,
        from: ADA,
        chat: CHAT,
        text: 'Good evening!',
      },
    }),
    inboundEvents: [{ ...received, what: 'edit', at: (DATE + 60) * 1000, text: 'Good evening!' }],
  },
  {
    it: 'receives and acknowledges a button press',
    call: update({
      callback_query: {
        id: '4382bfdwdsb323b2d9',
        from: ADA,
        chat_instance: '1',
        data: 'yes',
        message: {
          message_id: 6,
          date: DATE,
          chat: GROUP,
          reply_markup: {
            inline_keyboard: [
              [{ text: 'No', callback_data: 'no' }],
              [{ text: 'Oh yes', callback_data: 'yes' }],
            ],
          },
        },
      },
    }),
    inboundEvents: [
      {
        what: 'message',
        key: '10000',
        from: ada,
        group: engines,
        button: { name: 'Oh yes', value: 'yes' },
        replyTo: '-1001234567890:6',
      },
    ],
    answer: {
      text: '{"method":"answerCallbackQuery","callback_query_id":"4382bfdwdsb323b2d9"}',
      type: 'application/json',
    },
  },
  {
    it: 'receives who joined a group but not its own addition',
    call: inGroup({
      new_chat_members: [
        { id: 1, is_bot: false, first_name: 'Grace' },
        { id: 2, is_bot: false, first_name: 'Mary' },
        { id: 4242, is_bot: true, first_name: 'Example' },
      ],
    }),
    inboundEvents: [
      { ...first, what: 'join', key: '10000:1', from: { id: '1', name: 'Grace' }, group: engines },
      { ...first, what: 'join', key: '10000:2', from: { id: '2', name: 'Mary' }, group: engines },
    ],
  },
  {
    it: 'receives who left a group',
    call: inGroup({ left_chat_member: ADA }),
    inboundEvents: [{ ...first, what: 'leave', key: '10000:123456789', group: engines }],
  },
  ...(['kicked', 'member'] as const).map((status): HookCase => ({
    it: `receives that it is ${status === 'kicked' ? 'blocked' : 'unblocked'}`,
    call: update({
      my_chat_member: { chat: CHAT, from: ADA, date: DATE, new_chat_member: { status } },
    }),
    inboundEvents: [{ ...first, what: status === 'kicked' ? 'leave' : 'join' }],
  })),
  {
    it: 'ignores unknown events',
    call: message({ pinned_message: { message_id: 5, date: DATE, chat: CHAT } }),
    inboundEvents: ignored('message.pinned_message', 'no_content'),
  },
  {
    it: 'ignores its own messages',
    call: inGroup({ from: { id: 4242, is_bot: true, first_name: 'Example' }, text: 'mine' }),
    inboundEvents: ignored('message', 'own'),
  },
];

testHook(telegram, {
  credentials: { token: TOKEN, secret: SECRET },
  prove: (call, { secret = '' }) => ({
    ...call,
    headers: { ...call.headers, 'X-Telegram-Bot-Api-Secret-Token': secret },
  }),
  coversBody: false,
  cases,
});

describe('telegram webhook registration', () => {
  const registerWith = async (credentials: object) =>
    register(telegram, { open: openTelegram, credentials: { token: TOKEN, ...credentials } });

  it('registers the URL, the secret and the wanted updates', async () => {
    const { outcome, seen, renewed } = await registerWith({ secret: SECRET });
    assertOutcome(outcome, { outcome: 'known', as: 'bot 4242' });
    assert.deepEqual(seen[0]?.json, {
      url: HOOK_URL,
      secret_token: SECRET,
      allowed_updates: UPDATES,
    });
    assert.deepEqual(renewed, []);
  });

  it('generates a new secret each time when there is none', async () => {
    const [one, other] = [await registerWith({}), await registerWith({})];
    assertOutcome(one.outcome, { outcome: 'known', as: 'bot 4242' });
    const secret = one.renewed[0]?.secret ?? '';
    assert.match(secret, /^[\w-]{43}$/);
    assert.partialDeepStrictEqual(one.seen, [{ json: { secret_token: secret } }]);
    assert.notEqual(secret, other.renewed[0]?.secret);
  });

  it('reports why registration failed', async () => {
    const { outcome } = await registerWith({ token: '1:fake-other' });
    assertOutcome(outcome, { outcome: 'permanent', blame: 'credentials', code: '401' });
  });
});

describe('telegram file download', () => {
  const asking = { open: openTelegram, credentials: { token: TOKEN } };

  it('returns the address of a file', async () => {
    const { found, url } = await find(telegram, FILE, asking);
    assert.deepEqual(found, { url: `${url}/file/bot${TOKEN}/photos/file%201.jpg` });
  });

  for (const [reference, detail] of [
    ['large', 'too big'],
    ['none', 'wrong file_id'],
  ] as const) {
    it(`reports that the file is unavailable: ${detail}`, async () => {
      const { found } = await find(telegram, reference, asking);
      assert.ok('outcome' in found);
      assertOutcome(found, { outcome: 'permanent', blame: 'content', detail, code: '400' });
    });
  }
});
