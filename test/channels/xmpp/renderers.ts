import assert from 'node:assert/strict';

import type { XmppAnswer } from '../../emulators/xmpp.ts';
import type { Case, TestMessage } from '../suite.ts';

/* What XMPP can carry, and how it is written. */

type XmppCase = Case<string, XmppAnswer>;

export const ROOM = 'room@rooms.example.net';
export const SENT = { outcome: 'sent', id: 'message-1-part-1' } as const;
const BOB = 'bob@example.net';

export const messagesIn = (seen: readonly string[]) =>
  seen.filter((each) => each.startsWith('<message'));

const RECEIPT = '<request xmlns="urn:xmpp:receipts"/><markable xmlns="urn:xmpp:chat-markers:0"/>';

/** What stands in the message besides the address, exactly. */
const says = (it: string, message: Partial<TestMessage>, ...inner: string[]): XmppCase => ({
  it: `says ${it}`,
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

/** What a room repeats. */
const echo = (nick: string, ...inner: string[]) =>
  `<message type='groupchat' id='$id' from='$to/${nick}'>${inner.join('')}</message>`;

export const FORMS: readonly XmppCase[] = [
  says(
    'plain text in which signs mean nothing',
    { text: '*a* <b> & _c_' },
    `<body>*a* &lt;b&gt; &amp; _c_</body>RECEIPT${UNSTYLED}`,
  ),
  says(
    'what Markdown means',
    markdown('**b** *i* ~~s~~ `c` [l](https://a.example/) \\*no\\* a\\_b\n\n```\n1 < 2\n```'),
    '<body>*b* _i_ ~s~ `c` l (https://a.example/) *no* a_b\n\n```\n1 &lt; 2\n```\n</body>RECEIPT',
  ),
  says(
    'what HTML means, and no look around its own sign',
    { text: '<b>a*b</b> <i>c</i>', object: { mediaType: 'text/html' } },
    '<body>a*b _c_</body>RECEIPT',
  ),
  says(
    'Markdown that is none as plain text',
    markdown('a * b'),
    `<body>a * b</body>RECEIPT${UNSTYLED}`,
  ),
  says(
    'one more than may be in one as a second message',
    { text: '&'.repeat(1601) },
    `<body>${'&amp;'.repeat(1600)}</body>RECEIPT${UNSTYLED}`,
    `<body>&amp;</body>RECEIPT${UNSTYLED}`,
  ),
  ...['Image', 'Video', 'Audio', 'Document'].map((type) =>
    says(`a link to: ${type}`, file(type), LINK),
  ),
  says('a caption by itself', file('Image', 'Look'), LINK, `<body>Look</body>RECEIPT${UNSTYLED}`),
  says(
    'a place in words, and buttons as a list',
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
  says(
    'a subject, a thread, and what it answers',
    { text: 'Hi', object: { name: 'A <subject>', inReplyTo: 'id"1' }, context: 'thread\u00001' },
    `<subject>A &lt;subject&gt;</subject><body>Hi</body><thread>thread1</thread>RECEIPT<reply xmlns="urn:xmpp:reply:0" id="id&quot;1"/>${UNSTYLED}`,
  ),
  {
    it: 'asks a room for no receipt, and joins it first',
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
    it: 'changes what it said',
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
    it: 'takes back what it said',
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
    it: 'is in the thread of a message by what it was called when it was said',
    message: { context: 'k-1;stanza-id=s-1', object: { inReplyTo: 'k-1;stanza-id=s-1' } },
    outcome: SENT,
    also: (seen) => {
      const [message = ''] = messagesIn(seen);
      assert.match(message, /<thread>k-1<\/thread>/);
      assert.match(message, /<reply xmlns="urn:xmpp:reply:0" id="s-1"\/>/);
    },
  },
  {
    it: 'knows by what name the room goes, and by no other',
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
    it: `goes by no name of a room that could be none: ${id.slice(0, 10)}`,
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
    it: 'asks itself in the room whether it was heard there',
    message: { recipient: ROOM },
    outcome: SENT,
    also: (seen) => {
      const asked = seen.filter((each) => each.includes('urn:xmpp:ping'));
      assert.ok(asked.some((each) => each.includes(` to="${ROOM}/bot"`)));
    },
  },
  {
    it: 'is known by its address, and says nothing',
    calls: 'check',
    outcome: { outcome: 'known', as: 'bot@example.org' },
    also: (seen) => assert.deepEqual(messagesIn(seen), []),
  },
];
