import assert from 'node:assert/strict';

import { telegram } from '../../../src/channels/telegram/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { CHATS, TOKEN } from '../../emulators/telegram.ts';
import type { Case, TestMessage } from '../suite.ts';
import { assertListed } from '../unsupported.ts';

/* Content that Telegram supports besides plain text. */

type TelegramCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: `${CHATS.person}:101` } as const;
const call = (method: string, json: object) => ({
  method: 'POST',
  path: `/bot${TOKEN}/${method}`,
  json: { chat_id: CHATS.person, ...json },
});

const sends = (
  it: string,
  message: Partial<TestMessage>,
  ...[method, json]: [string, object]
): TelegramCase => ({
  it: `sends ${it}`,
  message,
  sees: [call(method, json)],
  outcome: SENT,
  also: ([request]) => assert.deepEqual(request?.json, { chat_id: CHATS.person, ...json }),
});

const html = (text: string) => ({ text, parse_mode: 'HTML' });
const markdown = (text: string): Partial<TestMessage> => ({
  text,
  object: { mediaType: 'text/markdown' },
});
const file = (type: string, url: string, more: object = {}): Partial<TestMessage> => ({
  object: { type, url: `https://example.com/${url}`, ...more },
});
const at = (place: object): Partial<TestMessage> => ({
  object: { type: 'Place', latitude: 52.5, longitude: -13.375, ...place },
});
const button = (name: string, url?: string) => ({ type: 'Button', name, ...(url && { url }) });

const TOO_LONG: Partial<TestMessage> = {
  text: 'Well?',
  object: { attachment: [button('Yes'), button('日'.repeat(22))] },
};

const LONG = '**x** & '.repeat(1100).trim();

const formatted: TelegramCase[] = [
  sends(
    'formatted Markdown and plain markup characters',
    markdown('**b** *i* ~~s~~ `c<d>` [l](https://a.example/?x=1&y="2") <u>a & b\\*'),
    'sendMessage',
    html(
      '<b>b</b> <i>i</i> <s>s</s> <code>c&lt;d&gt;</code> <a href="https://a.example/?x=1&amp;y=%222%22">l</a> a &amp; b*',
    ),
  ),
  sends(
    'what HTML means',
    {
      text: '<p><b>b<i>i</i></b> &lt;tag&gt; &amp;amp;</p><script>x</script><pre>a &lt; b\n  c</pre>',
      object: { mediaType: 'text/html; charset=utf-8' },
    },
    'sendMessage',
    html('<b>b</b><b><i>i</i></b> &lt;tag&gt; &amp;amp;\n\n<pre><code>a &lt; b\n  c</code></pre>'),
  ),
  sends(
    'Markdown without formatting as plain text',
    markdown('no markup < here & 👋 שלום'),
    'sendMessage',
    { text: 'no markup < here & 👋 שלום' },
  ),
  {
    it: 'splits a formatted text over the limit into well-formed parts',
    message: markdown(LONG),
    sees: [call('sendMessage', { parse_mode: 'HTML' }), call('sendMessage', {})],
    outcome: { outcome: 'sent', id: `${CHATS.person}:102` },
  },
  {
    it: 'sends a text one character over the limit as two messages',
    message: { text: 'x'.repeat(4097) },
    sees: [call('sendMessage', { text: 'x'.repeat(4096) }), call('sendMessage', { text: 'x' })],
    outcome: { outcome: 'sent', id: `${CHATS.person}:102` },
  },
];

const mediaCases: TelegramCase[] = [
  sends(
    'an image with a caption',
    file('Image', 'a.png', { mediaType: 'image/png', name: 'a.png', content: '<b> & 👋' }),
    'sendPhoto',
    { photo: 'https://example.com/a.png', caption: '<b> & 👋' },
  ),
  sends(
    'an image with a formatted caption',
    {
      text: '**Look**',
      object: {
        mediaType: 'text/markdown',
        attachment: [{ type: 'Image', url: 'https://example.com/a.jpg' }],
      },
    },
    'sendPhoto',
    { photo: 'https://example.com/a.jpg', caption: '<b>Look</b>', parse_mode: 'HTML' },
  ),
  sends('a video', file('Video', 'a.mp4', { mediaType: 'video/mp4' }), 'sendVideo', {
    video: 'https://example.com/a.mp4',
  }),
  sends('audio', file('Audio', 'a.mp3', { content: 'Listen' }), 'sendAudio', {
    audio: 'https://example.com/a.mp3',
    caption: 'Listen',
  }),
  sends('a file', file('Document', 'a.pdf', { name: 'a.pdf' }), 'sendDocument', {
    document: 'https://example.com/a.pdf',
  }),
  ...(
    [
      ['a file of an unsupported type', 'Document', 'a.docx'],
      ['a video of an unsupported type', 'Video', 'a.webm'],
      ['audio of an unsupported type', 'Audio', 'a.wav'],
      ['an image of an unsupported type', 'Image', 'a.svg'],
      ['a file without a type', 'Document', 'a'],
    ] as const
  ).map(([what, type, url]) =>
    sends(`${what} as a link`, file(type, url, { content: 'Here' }), 'sendMessage', {
      text: `Here\nhttps://example.com/${url}`,
    }),
  ),
  {
    it: 'sends a caption longer than 1,024 characters as a separate message',
    message: file('Image', 'a.png', { content: 'x'.repeat(1025) }),
    sees: [
      call('sendPhoto', { photo: 'https://example.com/a.png' }),
      call('sendMessage', { text: 'x'.repeat(1025) }),
    ],
    outcome: { outcome: 'sent', id: `${CHATS.person}:102` },
  },
  {
    it: 'sends a caption of 1,024 characters',
    message: file('Image', 'a.png', { content: 'x'.repeat(1024) }),
    sees: [call('sendPhoto', { caption: 'x'.repeat(1024) })],
    outcome: SENT,
  },
  {
    it: 'blames the content for an image that Telegram cannot fetch',
    message: file('Image', 'missing.png'),
    outcome: {
      outcome: 'permanent',
      blame: 'content',
      code: '400',
      detail: 'failed to get HTTP URL content',
    },
  },
  sends('a place', at({}), 'sendLocation', { latitude: 52.5, longitude: -13.375 }),
  sends('a place with a name', at({ name: 'Café <Ä>' }), 'sendVenue', {
    latitude: 52.5,
    longitude: -13.375,
    title: 'Café <Ä>',
    address: '52.5, -13.375',
  }),
  sends(
    'link buttons and value buttons',
    {
      text: 'Well?',
      object: { attachment: [button('Yes'), button('More <>', 'https://example.com/?a=1&b=2')] },
    },
    'sendMessage',
    {
      text: 'Well?',
      reply_markup: {
        inline_keyboard: [
          [{ text: 'Yes', callback_data: 'Yes' }],
          [{ text: 'More <>', url: 'https://example.com/?a=1&b=2' }],
        ],
      },
    },
  ),
  sends(
    'buttons below an image, one with the longest value',
    file('Image', 'a.png', { attachment: [button('日'.repeat(21))] }),
    'sendPhoto',
    {
      photo: 'https://example.com/a.png',
      reply_markup: {
        inline_keyboard: [[{ text: '日'.repeat(21), callback_data: '日'.repeat(21) }]],
      },
    },
  ),
  {
    it: 'lists all buttons when one has too long a value',
    message: TOO_LONG,
    sees: [call('sendMessage', { text: `Well?\n1. Yes\n2. ${'日'.repeat(22)}` })],
    outcome: SENT,
    also: () => assertListed(telegram, TOO_LONG, 'at most 64 bytes'),
  },
  sends(
    'a link button with any name',
    {
      text: 'Well?',
      object: { attachment: [button('日'.repeat(64), 'https://example.com/')] },
    },
    'sendMessage',
    {
      text: 'Well?',
      reply_markup: {
        inline_keyboard: [[{ text: '日'.repeat(64), url: 'https://example.com/' }]],
      },
    },
  ),
];

const REPLY = { message_id: 7, allow_sending_without_reply: true };

const placed: TelegramCase[] = [
  ...[`${CHATS.person}:7`, '7'].map((inReplyTo) =>
    sends(`a reply to ${inReplyTo}`, { text: 'Yes', object: { inReplyTo } }, 'sendMessage', {
      text: 'Yes',
      reply_parameters: REPLY,
    }),
  ),
  ...['x', '1:2:3', '7.5', '<7>'].map((id) =>
    sends(
      `a message with the malformed reply or thread id ${id} without it`,
      { text: 'Yes', object: { inReplyTo: id }, context: id },
      'sendMessage',
      { text: 'Yes' },
    ),
  ),
  {
    it: 'sends every part to the thread and only the first as a reply',
    message: {
      recipient: CHATS.group,
      context: '42',
      text: 'x'.repeat(5000),
      object: { inReplyTo: `${CHATS.group}:7` },
    },
    sees: [
      { json: { message_thread_id: 42, reply_parameters: REPLY } },
      { json: { message_thread_id: 42 } },
    ],
    outcome: { outcome: 'sent', id: `${CHATS.group}:102` },
    also: ([, second]) => assert.ok(!(second?.text ?? '').includes('reply_parameters')),
  },
];

const IMAGE_MESSAGE = { id: `${CHATS.person}:6`, recipient: CHATS.person };
const TEXT = { id: `${CHATS.person}:7`, recipient: CHATS.person };

const edited: TelegramCase[] = [
  {
    it: 'edits a message to a formatted text with buttons',
    calls: 'edit',
    earlier: TEXT,
    message: {
      text: '**New**',
      object: { mediaType: 'text/markdown', attachment: [button('Yes')], inReplyTo: '5' },
      context: '42',
    },
    sees: [call('editMessageText', { message_id: 7, text: '<b>New</b>', parse_mode: 'HTML' })],
    outcome: { outcome: 'sent', id: TEXT.id },
  },
  ...[IMAGE_MESSAGE, TEXT].map((earlier): TelegramCase => ({
    it: `edits ${earlier.id} to another image`,
    calls: 'edit',
    earlier,
    message: file('Image', 'b.png', { content: 'New', attachment: [button('Yes')] }),
    sees: [
      call('editMessageMedia', {
        media: { type: 'photo', media: 'https://example.com/b.png', caption: 'New' },
        reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'Yes' }]] },
      }),
    ],
    outcome: { outcome: 'sent', id: earlier.id },
  })),
  {
    it: 'cannot edit an image to a text',
    calls: 'edit',
    earlier: IMAGE_MESSAGE,
    outcome: { outcome: 'permanent', blame: 'unsupported', code: '400', detail: 'no text' },
  },
  {
    it: 'sends no request to edit a message to a place',
    calls: 'edit',
    earlier: TEXT,
    message: at({}),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'unsupported', code: '400' },
  },
  ...(['edit', 'remove'] as const).map((calls): TelegramCase => ({
    it: `sends no request to ${calls} a malformed id`,
    calls,
    earlier: { id: 'x', recipient: CHATS.person },
    sees: [],
    outcome: { outcome: 'permanent', blame: 'unsupported', code: '400' },
  })),
];

export const FORMS: readonly TelegramCase[] = [...formatted, ...mediaCases, ...placed, ...edited];
