import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { instagram } from '../../../src/channels/instagram.ts';
import { ACCOUNT_TOKEN, openInstagram } from '../../emulators/meta/instagram.ts';
import { PEOPLE } from '../../emulators/meta/send-api.ts';
import { find } from '../hook-setup.ts';
import { type HookCase, testHook } from '../hooks.ts';
import { HANDSHAKE, SECRETS, proveAsMeta } from '../meta/proof.ts';
import { assertOutcome } from '../suite.ts';

/* https://developers.facebook.com/documentation/instagram-platform/webhooks/examples */

const ACCOUNT = '17841400000000001';
const MID = 'aWdfZAG1faXRlbToxOklHTWVzc2FnZAfake';
const AT = 1_458_692_752_478;
const FILE = 'https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=1&signature=fake';
const eventBase = { from: { id: PEOPLE.known }, at: AT } as const;
const received = { what: 'message', key: `message:${MID}`, ...eventBase, id: MID } as const;

const event = (more: object) => ({
  body: {
    object: 'instagram',
    entry: [
      {
        id: ACCOUNT,
        time: AT,
        messaging: [
          {
            sender: { id: PEOPLE.known },
            recipient: { id: ACCOUNT },
            timestamp: AT,
            ...more,
          },
        ],
      },
    ],
  },
});
const message = (more: object) => event({ message: { mid: MID, ...more } });

const cases: HookCase[] = [
  HANDSHAKE,
  {
    it: 'receives a text with the id of the message it replies to',
    call: message({ text: 'Good morning! 👋', reply_to: { mid: 'm_1' } }),
    inboundEvents: [{ ...received, text: 'Good morning! 👋', replyTo: 'm_1' }],
  },
  {
    it: 'receives a story reply as a text without a replied-to id',
    call: message({ text: 'Nice!', reply_to: { story: { url: FILE, id: '1' } } }),
    inboundEvents: [{ ...received, text: 'Nice!' }],
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
  ...(
    [
      ['image', 'Image'],
      ['video', 'Video'],
      ['ig_reel', 'Video'],
      ['audio', 'Audio'],
      ['file', 'Document'],
      ['share', 'Document'],
      ['story_mention', 'Document'],
    ] as const
  ).map(([type, receivedType]): HookCase => ({
    it: `receives ${type}`,
    call: message({ attachments: [{ type, payload: { url: FILE } }] }),
    inboundEvents: [{ ...received, media: [{ type: receivedType, reference: FILE }] }],
  })),
  {
    it: 'receives a deletion',
    call: message({ is_deleted: true }),
    inboundEvents: [{ what: 'deletion', key: `deletion:${MID}`, ...eventBase, id: MID }],
  },
  {
    it: 'receives an edit',
    call: event({ message_edit: { mid: MID, text: 'Good evening!', num_edit: 1 } }),
    inboundEvents: [{ ...received, what: 'edit', key: `edit:${MID}:1`, text: 'Good evening!' }],
  },
  {
    it: 'receives the id of the read message',
    call: event({ read: { mid: 'm_1' } }),
    inboundEvents: [{ what: 'receipt', id: 'm_1', state: 'read' }],
  },
  {
    it: "ignores the account's own messages",
    call: event({
      sender: { id: ACCOUNT },
      recipient: { id: PEOPLE.known },
      message: { mid: MID, text: 'mine', is_echo: true },
    }),
    inboundEvents: ignored('message', 'own'),
  },
  {
    it: 'ignores unknown events',
    call: event({ reaction: { mid: MID, action: 'react', reaction: 'love' } }),
    inboundEvents: ignored('reaction', 'no_event'),
  },
  {
    it: 'ignores comments on posts',
    call: {
      body: {
        object: 'instagram',
        entry: [{ id: ACCOUNT, changes: [{ field: 'comments', value: { id: '1' } }] }],
      },
    },
    inboundEvents: ignored('comments', 'no_event'),
  },
];

testHook(instagram, {
  credentials: { token: ACCOUNT_TOKEN, ...SECRETS },
  prove: proveAsMeta,
  coversBody: true,
  cases,
});

describe('instagram file download', () => {
  const setup = { open: openInstagram, credentials: { token: ACCOUNT_TOKEN } };

  it('fetches a file from its address without a token', async () => {
    const { found } = await find(instagram, FILE, setup);
    assert.deepEqual(found, { url: FILE });
  });

  it('refuses other addresses', async () => {
    const { found } = await find(instagram, 'http://lookaside.fbsbx.com/a', setup);
    assert.ok('outcome' in found);
    assertOutcome(found, { outcome: 'permanent', blame: 'content', detail: 'Meta' });
  });
});
