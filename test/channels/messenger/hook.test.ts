import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { messenger } from '../../../src/channels/messenger.ts';
import { TOKEN } from '../../emulators/meta/graph.ts';
import { openMessenger } from '../../emulators/meta/messenger.ts';
import { PEOPLE } from '../../emulators/meta/send-api.ts';
import { find } from '../hook-setup.ts';
import { type HookCase, testHook } from '../hooks.ts';
import { HANDSHAKE, SECRETS, proveAsMeta } from '../meta/proof.ts';
import { assertOutcome } from '../suite.ts';

/* https://developers.facebook.com/documentation/business-messaging/messenger-platform/webhooks/webhook-events */

const PAGE = '1906385232743851';
const MID = 'm_1457764197618:41d102a3e1ae206a38';
const AT = 1_458_692_752_478;
const FILE = 'https://scontent.xx.fbcdn.net/v/t1/mill.png?oh=fake';
const eventBase = { from: { id: PEOPLE.known }, at: AT } as const;
const received = { what: 'message', key: `message:${MID}`, ...eventBase, id: MID } as const;

const toPage = (more: object) => ({
  sender: { id: PEOPLE.known },
  recipient: { id: PAGE },
  timestamp: AT,
  ...more,
});
const event = (...more: object[]) => ({
  body: { object: 'page', entry: [{ id: PAGE, time: AT, messaging: more.map(toPage) }] },
});
const message = (more: object) => event({ message: { mid: MID, ...more } });
const attachment = (type: string, payload: object | null) => ({ type, payload });

const cases: HookCase[] = [
  HANDSHAKE,
  {
    it: 'receives a text with the id of the message it replies to',
    call: message({ text: 'hello, world!', reply_to: { mid: 'm_1', is_self_reply: false } }),
    inboundEvents: [{ ...received, text: 'hello, world!', replyTo: 'm_1' }],
  },
  {
    it: 'receives the chosen quick reply',
    call: message({ text: 'Oh yes', quick_reply: { payload: 'yes' } }),
    inboundEvents: [{ ...received, text: 'Oh yes', button: { name: 'Oh yes', value: 'yes' } }],
  },
  {
    it: 'receives a button press',
    call: event({ postback: { mid: 'm_2', title: 'Oh yes', payload: 'yes' } }),
    inboundEvents: [
      {
        what: 'message',
        key: 'postback:m_2',
        ...eventBase,
        button: { name: 'Oh yes', value: 'yes' },
      },
    ],
  },
  {
    it: 'receives a button press without an id, keyed by sender and time',
    call: event({ postback: { title: 'Get started', payload: 'start' } }),
    inboundEvents: [
      {
        what: 'message',
        key: `postback:${PEOPLE.known}:${AT}`,
        ...eventBase,
        button: { name: 'Get started', value: 'start' },
      },
    ],
  },
  ...(
    [
      ['image', 'Image'],
      ['sticker', 'Image'],
      ['video', 'Video'],
      ['audio', 'Audio'],
      ['file', 'Document'],
    ] as const
  ).map(([type, receivedType]): HookCase => ({
    it: `receives ${type}`,
    call: message({ attachments: [attachment(type, { url: FILE })] }),
    inboundEvents: [{ ...received, media: [{ type: receivedType, reference: FILE }] }],
  })),
  {
    it: 'receives a sticker once though it also comes as an image, and ignores links that are in the text',
    call: message({
      text: 'https://example.com',
      attachments: [
        attachment('image', { url: FILE, sticker_id: 369_239_263_222_822 }),
        attachment('sticker', { url: FILE }),
        attachment('fallback', { url: 'https://example.com', title: 'Example' }),
        attachment('fallback', null),
      ],
    }),
    inboundEvents: [
      { ...received, text: 'https://example.com', media: [{ type: 'Image', reference: FILE }] },
    ],
  },
  ...[1, 2].map((count): HookCase => ({
    it: `receives each edit once: ${count}`,
    call: event({ message_edit: { mid: MID, text: 'hello!', num_edit: count } }),
    inboundEvents: [{ ...received, what: 'edit', key: `edit:${MID}:${count}`, text: 'hello!' }],
  })),
  {
    it: 'receives a delivery receipt for all messages up to a time',
    call: event({ delivery: { mids: ['m_1'], watermark: AT - 5 } }),
    inboundEvents: [
      { what: 'receipts', recipient: PEOPLE.known, upTo: AT - 5, state: 'delivered' },
    ],
  },
  {
    it: 'receives a read receipt for all messages up to a time',
    call: event({ read: { watermark: AT - 5 } }),
    inboundEvents: [{ what: 'receipts', recipient: PEOPLE.known, upTo: AT - 5, state: 'read' }],
  },
  {
    it: 'receives several events in one request',
    call: event({ message: { mid: 'a', text: 'One' } }, { message: { mid: 'b', text: 'Two' } }),
    inboundEvents: [
      { ...received, key: 'message:a', id: 'a', text: 'One' },
      { ...received, key: 'message:b', id: 'b', text: 'Two' },
    ],
  },
  {
    it: "ignores the page's own messages",
    call: event({
      sender: { id: PAGE },
      recipient: { id: PEOPLE.known },
      message: { mid: MID, text: 'mine', is_echo: true, app_id: 1_517_776_481_860_111 },
    }),
    inboundEvents: ignored('message', 'own'),
  },
  ...(
    [
      ['reaction', 'no_event', { mid: MID, action: 'react', emoji: '👍', reaction: 'like' }],
      ['optin', 'no_event', { ref: 'a' }],
      ['message', 'no_content', { mid: MID, is_unsupported: true }],
    ] as const
  ).map(([type, reason, given]): HookCase => ({
    it: `ignores unknown events: ${type}`,
    call: event({ [type]: given }),
    inboundEvents: ignored(type, reason),
  })),
  {
    it: 'ignores messages handled by another app',
    call: { body: { object: 'page', entry: [{ id: PAGE, standby: [{ message: { mid: MID } }] }] } },
    inboundEvents: ignored('standby', 'elsewhere'),
  },
  {
    it: 'ignores events that are not of a page',
    call: { body: { object: 'instagram', entry: [{ id: PAGE, messaging: [{}] }] } },
    inboundEvents: ignored('instagram', 'elsewhere'),
  },
];

testHook(messenger, {
  credentials: { token: TOKEN, ...SECRETS },
  prove: proveAsMeta,
  coversBody: true,
  cases,
});

describe('messenger file download', () => {
  const setup = { open: openMessenger, credentials: { token: TOKEN } };

  it('fetches a file from its address without a token', async () => {
    const { found } = await find(messenger, FILE, setup);
    assert.deepEqual(found, { url: FILE });
  });

  it('refuses other addresses', async () => {
    const { found } = await find(messenger, 'https://fbcdn.net.example.com/mill.png', setup);
    assert.ok('outcome' in found);
    assertOutcome(found, { outcome: 'permanent', blame: 'content', detail: 'Meta' });
  });
});
