import assert from 'node:assert/strict';

import type { XmppAnswer } from '../../emulators/xmpp.ts';
import type { Case, TestMessage } from '../suite.ts';

/* Content that XMPP supports and its XML. */

type XmppCase = Case<string, XmppAnswer>;

export const ROOM = 'room@rooms.example.net';
export const SENT = { outcome: 'sent', id: 'message-1-part-1' } as const;
const BOB = 'bob@example.net';

export const messagesIn = (seen: readonly string[]) =>
  seen.filter((each) => each.startsWith('<message'));

const RECEIPT = '<request xmlns="urn:xmpp:receipts"/><markable xmlns="urn:xmpp:chat-markers:0"/>';

/** The exact content of the message element. */
const sends = (it: string, message: Partial<TestMessage>, ...inner: string[]): XmppCase => ({
  it: `sends ${it}`,
  message,
  outcome: { outcome: 'sent', id: inner.length === 1 ? SENT.id : `${SENT.id}-${inner.length}` },
  also: (seen) =>
    assert.deepEqual(
      messagesIn(seen).map((each) => each.replace(/^<message[^>]*>/, '').replace('</message>', '')),
      inner.map((each) => each.replace('RECEIPT', RECEIPT)),
    ),
});

const UNSTYLED = '<unstyled xmlns="urn:xmpp:styling:0"/>';
const markdown = (text: string) => ({ text, object: { mediaType: 'text/markdown' } });
const file = (type: string, content_ = ''): Partial<TestMessage> => ({
  object: { type, url: 'https://example.com/a?b&c', name: 'a', content: content_ },
});
const LINK = `<body>https://example.com/a?b&amp;c</body>RECEIPT<x xmlns="jabber:x:oob"><url>https://example.com/a?b&amp;c</url></x>${UNSTYLED}`;

/** The room's echo of a message. */
const echo = (nick: string, ...inner: string[]) =>
  `<message type='groupchat' id='$id' from='$to/${nick}'>${inner.join('')}</message>`;

export const RENDERER_CASES: readonly XmppCase[] = [
  sends(
    'plain text with markup characters as unstyled',
    { text: '*a* <b> & _c_' },
    `<body>*a* &lt;b&gt; &amp; _c_</body>RECEIPT${UNSTYLED}`,
  ),
  sends(
    'formatted Markdown',
    markdown('**b** *i* ~~s~~ `c` [l](https://a.example/) \\*no\\* a\\_b\n\n```\n1 < 2\n```'),
    '<body>*b* _i_ ~s~ `c` l (https://a.example/) *no* a_b\n\n```\n1 &lt; 2\n```\n</body>RECEIPT',
  ),
  sends(
    "formatted HTML, except around the markup's own characters",
    { text: '<b>a*b</b> <i>c</i>', object: { mediaType: 'text/html' } },
    '<body>a*b _c_</body>RECEIPT',
  ),
  sends(
    'Markdown without formatting as plain text',
    markdown('a * b'),
    `<body>a * b</body>RECEIPT${UNSTYLED}`,
  ),
  sends(
    'a text over the limit as two messages',
    { text: '&'.repeat(1601) },
    `<body>${'&amp;'.repeat(1600)}</body>RECEIPT${UNSTYLED}`,
    `<body>&amp;</body>RECEIPT${UNSTYLED}`,
  ),
  ...['Image', 'Video', 'Audio', 'Document'].map((type) =>
    sends(`a link in place of ${type}`, file(type), LINK),
  ),
  sends(
    'a caption as a separate message',
    file('Image', 'Look'),
    LINK,
    `<body>Look</body>RECEIPT${UNSTYLED}`,
  ),
  sends(
    'a place as text and buttons as a list',
    {
      object: {
        type: 'Place',
        latitude: 1,
        longitude: 2,
        attachment: [{ type: 'Button', name: 'Yes' }],
      },
    },
    `<body>1, 2\nhttps://www.openstreetmap.org/?mlat=1&amp;mlon=2\n1. Yes</body>RECEIPT${UNSTYLED}`,
  ),
  sends(
    'a subject, a thread and a reply',
    { text: 'Hi', object: { name: 'A <subject>', inReplyTo: 'id"1' }, context: 'thread\u00001' },
    `<subject>A &lt;subject&gt;</subject><body>Hi</body><thread>thread1</thread>RECEIPT<reply xmlns="urn:xmpp:reply:0" id="id&quot;1"/>${UNSTYLED}`,
  ),
  {
    it: 'joins a room first and requests no receipt from it',
    message: { recipient: ROOM },
    outcome: SENT,
    also: (seen) => {
      const stanzas = seen.filter((each) => /^<(presence|message)/.test(each));
      assert.deepEqual(stanzas, [
        `<presence to="${ROOM}/bot"><x xmlns="http://jabber.org/protocol/muc"><history maxstanzas="0"/></x></presence>`,
        `<message to="${ROOM}" type="groupchat" id="message-1-part-1"><body>Good morning!</body><origin-id xmlns="urn:xmpp:sid:0" id="message-1-part-1"/>${UNSTYLED}</message>`,
      ]);
    },
  },
  {
    it: 'edits a message',
    calls: 'edit',
    earlier: { id: 'k-1', recipient: BOB },
    message: { text: 'New' },
    outcome: { outcome: 'sent', id: 'k-1' },
    also: (seen) => {
      const [message = ''] = messagesIn(seen);
      assert.match(message, /<replace xmlns="urn:xmpp:message-correct:0" id="k-1"\/>/);
      assert.match(message, / id="[0-9a-f-]{36}">/);
    },
  },
  {
    it: 'retracts a message',
    calls: 'remove',
    earlier: { id: 'k-1', recipient: BOB },
    outcome: { outcome: 'sent' },
    also: (seen) => {
      const [message = ''] = messagesIn(seen);
      assert.match(message, /<retract xmlns="urn:xmpp:message-retract:1" id="k-1"\/>/);
      assert.match(message, / id="[0-9a-f-]{36}"><body>\/me /);
    },
  },
  {
    it: 'refers to a room message by its origin id as thread and by its stanza id as reply',
    message: { context: 'k-1;stanza-id=s-1', object: { inReplyTo: 'k-1;stanza-id=s-1' } },
    outcome: SENT,
    also: (seen) => {
      const [message = ''] = messagesIn(seen);
      assert.match(message, /<thread>k-1<\/thread>/);
      assert.match(message, /<reply xmlns="urn:xmpp:reply:0" id="s-1"\/>/);
    },
  },
  {
    it: "uses only the room's own stanza id",
    message: { recipient: ROOM },
    answers: [
      {
        to: 'message',
        says: [
          echo('eve', `<stanza-id xmlns='urn:xmpp:sid:0' by='${ROOM}' id='of-eve'/>`),
          echo(
            'bot',
            "<stanza-id xmlns='urn:xmpp:sid:0' by='eve@example.com' id='for-eve'/>",
            `<stanza-id xmlns='urn:xmpp:sid:0' by='${ROOM}' id='of-room'/>`,
          ),
        ].join(''),
      },
    ],
    outcome: { outcome: 'sent', id: `${SENT.id};stanza-id=of-room` },
  },
  ...['', 'with space', 'x'.repeat(501)].map((id): XmppCase => ({
    it: `ignores a malformed stanza id: ${id.slice(0, 10)}`,
    message: { recipient: ROOM },
    answers: [
      {
        to: 'message',
        says: echo('bot', `<stanza-id xmlns='urn:xmpp:sid:0' by='${ROOM}' id='${id}'/>`),
      },
    ],
    outcome: SENT,
  })),
  {
    it: 'confirms delivery with a ping to itself in the room',
    message: { recipient: ROOM },
    outcome: SENT,
    also: (seen) => {
      const asked = seen.filter((each) => each.includes('urn:xmpp:ping'));
      assert.ok(asked.some((each) => each.includes(` to="${ROOM}/bot"`)));
    },
  },
  {
    it: 'check: accepts its address and sends nothing',
    calls: 'check',
    outcome: { outcome: 'known', as: 'bot@example.org' },
    also: (seen) => assert.deepEqual(messagesIn(seen), []),
  },
];
