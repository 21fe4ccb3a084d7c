import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { instagram } from '../../../src/channels/instagram.ts';
import { ACCOUNT_TOKEN, openInstagram } from '../../emulators/meta/instagram.ts';
import { PEOPLE } from '../../emulators/meta/send-api.ts';
import { type HookCase, testHook } from '../hooks.ts';
import { HANDSHAKE, SECRETS, proveAsMeta } from '../meta/proof.ts';
import { find } from '../recipients.ts';
import { assertOutcome } from '../suite.ts';

/* https://developers.facebook.com/documentation/instagram-platform/webhooks/examples */

const ACCOUNT = '17841400000000001';
const MID = 'aWdfZAG1faXRlbToxOklHTWVzc2FnZAfake';
const AT = 1_458_692_752_478;
const FILE = 'https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=1&signature=fake';
const told = { from: { id: PEOPLE.known }, at: AT } as const;
const received = { what: 'message', key: `message:${MID}`, ...told, id: MID } as const;

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
    it: 'hears a text, and what it answers',
    call: message({ text: 'Good morning! 👋', reply_to: { mid: 'm_1' } }),
    inboundEvents: [{ ...received, text: 'Good morning! 👋', replyTo: 'm_1' }],
  },
  {
    it: 'hears what is said of a story, which is no message',
    call: message({ text: 'Nice!', reply_to: { story: { url: FILE, id: '1' } } }),
    inboundEvents: [{ ...received, text: 'Nice!' }],
  },
  {
    it: 'hears which reply was chosen',
    call: message({ text: 'Oh yes', quick_reply: { payload: 'yes' } }),
    inboundEvents: [{ ...received, text: 'Oh yes', button: { name: 'Oh yes', value: 'yes' } }],
  },
  {
    it: 'hears which button was pressed',
    call: event({ postback: { mid: 'm_2', title: 'Oh yes', payload: 'yes' } }),
    inboundEvents: [
      { what: 'message', key: 'postback:m_2', ...told, button: { name: 'Oh yes', value: 'yes' } },
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
  ).map(([type, heardAs]): HookCase => ({
    it: `hears ${type}`,
    call: message({ attachments: [{ type, payload: { url: FILE } }] }),
    inboundEvents: [{ ...received, media: [{ type: heardAs, reference: FILE }] }],
  })),
  {
    it: 'hears a deletion',
    call: message({ is_deleted: true }),
    inboundEvents: [{ what: 'deletion', key: `deletion:${MID}`, ...told, id: MID }],
  },
  {
    it: 'hears an edit',
    call: event({ message_edit: { mid: MID, text: 'Good evening!', num_edit: 1 } }),
    inboundEvents: [{ ...received, what: 'edit', key: `edit:${MID}:1`, text: 'Good evening!' }],
  },
  {
    it: 'hears which message was read',
    call: event({ read: { mid: 'm_1' } }),
    inboundEvents: [{ what: 'receipt', id: 'm_1', state: 'read' }],
  },
  {
    it: 'leaves out what the account wrote',
    call: event({
      sender: { id: ACCOUNT },
      recipient: { id: PEOPLE.known },
      message: { mid: MID, text: 'mine', is_echo: true },
    }),
    inboundEvents: ignored('message', 'own'),
  },
  {
    it: 'leaves out what it does not know',
    call: event({ reaction: { mid: MID, action: 'react', reaction: 'love' } }),
    inboundEvents: ignored('reaction', 'no_event'),
  },
  {
    it: 'leaves out what is said below pictures',
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

describe('instagram, asked for a file', () => {
  const asking = { open: openInstagram, credentials: { token: ACCOUNT_TOKEN } };

  it('finds it where it was said to be, where it needs no token', async () => {
    const { found } = await find(instagram, FILE, asking);
    assert.deepEqual(found, { url: FILE });
  });

  it('looks nowhere else', async () => {
    const { found } = await find(instagram, 'http://lookaside.fbsbx.com/a', asking);
    assert.ok('outcome' in found);
    assertOutcome(found, { outcome: 'permanent', blame: 'content', detail: 'Meta' });
  });
});
