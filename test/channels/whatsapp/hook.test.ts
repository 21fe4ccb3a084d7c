import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { whatsapp } from '../../../src/channels/whatsapp/channel.ts';
import { TOKEN } from '../../emulators/meta/graph.ts';
import { FILES, NUMBER_ID, PEOPLE, openWhatsApp } from '../../emulators/meta/whatsapp.ts';
import { HOOK_URL, type HookCase, testHook } from '../hooks.ts';
import { HANDSHAKE, SECRETS, proveAsMeta } from '../meta/proof.ts';
import { find, register } from '../recipients.ts';
import { assertOutcome } from '../suite.ts';
import { AT, ID, WHO, change, contacts, received, messages } from './people.ts';

/* https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages */

const status = (more: object) =>
  change({
    statuses: [{ id: 'wamid.sent', timestamp: '1749416383', recipient_id: PEOPLE.known, ...more }],
  });

const file = { id: FILES.here, mime_type: 'image/jpeg', sha256: 'a' };

const cases: HookCase[] = [
  HANDSHAKE,
  {
    it: 'hears a text, and what it answers',
    call: messages({
      type: 'text',
      text: { body: 'Good morning! 👋' },
      context: { from: '15550101234', id: 'wamid.sent' },
    }),
    inboundEvents: [{ ...received, text: 'Good morning! 👋', replyTo: 'wamid.sent' }],
  },
  {
    it: 'hears several at once',
    call: messages(
      { type: 'text', text: { body: 'One' } },
      { type: 'text', text: { body: 'Two' }, id: 'wamid.2' },
    ),
    inboundEvents: [
      { ...received, text: 'One' },
      { ...received, key: 'wamid.2', id: 'wamid.2', text: 'Two' },
    ],
  },
  {
    it: 'hears somebody whose number is hidden',
    call: change({
      contacts: [{ profile: { name: 'Grace' }, user_id: PEOPLE.hidden }],
      messages: [
        {
          from_user_id: PEOPLE.hidden,
          id: ID,
          timestamp: '1749416383',
          type: 'text',
          text: { body: 'Hi' },
        },
      ],
    }),
    inboundEvents: [
      { ...received, from: { id: PEOPLE.hidden, name: 'Grace', also: [] }, text: 'Hi' },
    ],
  },
  ...(
    [
      ['image', 'Image', { caption: 'The mill' }, { caption: 'The mill' }],
      ['sticker', 'Image', { animated: false }, {}],
      ['video', 'Video', {}, {}],
      ['audio', 'Audio', { voice: true }, {}],
      ['document', 'Document', { filename: 'mill.pdf' }, { name: 'mill.pdf' }],
    ] as const
  ).map(([type, heardAs, sent, had]): HookCase => ({
    it: `hears ${type}`,
    call: messages({ type, [type]: { ...file, ...sent } }),
    inboundEvents: [
      {
        ...received,
        media: [{ type: heardAs, reference: FILES.here, mediaType: 'image/jpeg', ...had }],
      },
    ],
  })),
  {
    it: 'hears a place',
    call: messages({
      type: 'location',
      location: { latitude: 51.5, longitude: -0.12, name: 'The mill', address: 'A' },
    }),
    inboundEvents: [{ ...received, place: { latitude: 51.5, longitude: -0.12, name: 'The mill' } }],
  },
  {
    it: 'hears contacts as a text',
    call: messages({
      type: 'contacts',
      contacts: [
        { name: { formatted_name: 'Ada' }, phones: [{ phone: '+44 20', wa_id: '4420' }] },
        { name: { formatted_name: 'Grace' } },
      ],
    }),
    inboundEvents: [{ ...received, text: 'Ada +44 20\nGrace' }],
  },
  {
    it: 'hears which button was pressed',
    call: messages({
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Oh yes' } },
      context: { from: '15550101234', id: 'wamid.sent' },
    }),
    inboundEvents: [
      { ...received, button: { name: 'Oh yes', value: 'yes' }, replyTo: 'wamid.sent' },
    ],
  },
  {
    it: 'hears what was chosen from a list',
    call: messages({
      type: 'interactive',
      interactive: { type: 'list_reply', list_reply: { id: 'tea', title: 'Tea', description: '' } },
    }),
    inboundEvents: [{ ...received, button: { name: 'Tea', value: 'tea' } }],
  },
  {
    it: 'hears which button of a template was pressed',
    call: messages({ type: 'button', button: { text: 'Stop', payload: 'stop' } }),
    inboundEvents: [{ ...received, button: { name: 'Stop', value: 'stop' } }],
  },
  {
    it: 'hears an edit',
    call: messages({
      type: 'edit',
      edit: {
        original_message_id: 'wamid.1',
        message: { type: 'text', text: { body: 'Good evening!' } },
      },
    }),
    inboundEvents: [{ ...received, what: 'edit', id: 'wamid.1', text: 'Good evening!' }],
  },
  {
    it: 'hears a deletion',
    call: messages({ type: 'revoke', revoke: { original_message_id: 'wamid.1' } }),
    inboundEvents: [{ ...received, what: 'deletion', id: 'wamid.1' }],
  },
  ...(['delivered', 'read'] as const).map((state): HookCase => ({
    it: `hears that a message was ${state}`,
    call: status({ status: state }),
    inboundEvents: [{ what: 'receipt', id: 'wamid.sent', state }],
  })),
  {
    it: 'hears that a message failed, and why',
    call: status({
      status: 'failed',
      errors: [
        {
          code: 131_050,
          title: 'Unable to deliver',
          message: 'Unable to deliver the message.',
          error_data: { details: 'Recipient has opted out.' },
        },
      ],
    }),
    inboundEvents: [
      {
        what: 'receipt',
        id: 'wamid.sent',
        state: 'failed',
        detail: 'Recipient has opted out.',
        code: '131050',
      },
    ],
  },
  { it: 'knows already that it was sent', call: status({ status: 'sent' }), inboundEvents: [] },
  {
    it: 'leaves out what another number of the app was told',
    call: change({ contacts, messages: [{ from: PEOPLE.known, id: ID, type: 'text' }] }, '1'),
    inboundEvents: ignored('messages', 'elsewhere'),
  },
  {
    it: 'leaves out reactions',
    call: messages({ type: 'reaction', reaction: { message_id: 'wamid.sent', emoji: '👍' } }),
    inboundEvents: ignored('messages.reaction', 'no_event'),
  },
  ...[
    { type: 'unsupported', errors: [{ code: 131_051 }] },
    { type: 'order', order: { catalog_id: '1', product_items: [] } },
    { type: 'of_the_future', of_the_future: {} },
  ].map((each): HookCase => ({
    it: `tells that somebody wrote what it cannot read: ${each.type}`,
    call: messages(each),
    inboundEvents: [
      {
        what: 'unreadable',
        key: ID,
        reason: 'unsupported',
        sender: PEOPLE.known,
        id: ID,
        at: AT,
      },
    ],
  })),
  {
    it: 'leaves out what is told of the account',
    call: change({ event: 'PHONE_NUMBER_ADDED' }, NUMBER_ID, 'account_update'),
    inboundEvents: ignored('account_update', 'no_event'),
  },
  ...WHO,
];

const credentials = { token: TOKEN, username: NUMBER_ID, ...SECRETS };

testHook(whatsapp, { credentials, prove: proveAsMeta, coversBody: true, cases });

describe('whatsapp, told where to call', () => {
  const tell = async (given: object) =>
    register(whatsapp, { open: openWhatsApp, credentials: { ...credentials, ...given } });

  it('is told the address for this number', async () => {
    const { outcome, seen, renewed } = await tell({});
    assertOutcome(outcome, { outcome: 'known', as: `the number ${NUMBER_ID}` });
    assert.deepEqual(seen[0]?.json, {
      webhook_configuration: { override_callback_uri: HOOK_URL, verify_token: SECRETS.secret },
    });
    assert.deepEqual(renewed, []);
  });

  it('makes up a verify token where there is none', async () => {
    const { outcome, seen, renewed } = await tell({ secret: '' });
    assertOutcome(outcome, { outcome: 'known', as: `the number ${NUMBER_ID}` });
    const secret = renewed[0]?.secret ?? '';
    assert.match(secret, /^[\w-]{43}$/);
    assert.partialDeepStrictEqual(seen, [
      { json: { webhook_configuration: { verify_token: secret } } },
    ]);
  });

  it('says why it was not taken', async () => {
    const other = await tell({ token: 'EAAfakeOther' });
    assertOutcome(other.outcome, { outcome: 'permanent', blame: 'credentials', code: '190' });
    const none = await tell({ username: '+1 650' });
    assertOutcome(none.outcome, { outcome: 'permanent', blame: 'credentials' });
  });
});

describe('whatsapp, asked for a file', () => {
  const asking = { open: openWhatsApp, credentials };

  it('says where it is, and shows its token there', async () => {
    const { found } = await find(whatsapp, FILES.here, asking);
    assert.deepEqual(found, {
      url: `https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=${FILES.here}`,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  });

  it('shows no token elsewhere', async () => {
    const { found } = await find(whatsapp, FILES.elsewhere, asking);
    assert.ok('outcome' in found);
    assertOutcome(found, { outcome: 'permanent', blame: 'content', detail: 'Meta' });
  });

  it('says that there is none, and does not ask for what could not be one', async () => {
    const gone = await find(whatsapp, '1', asking);
    assert.ok('outcome' in gone.found);
    assertOutcome(gone.found, { outcome: 'permanent', blame: 'content', code: '100/33' });
    const { found, seen } = await find(whatsapp, '../me', asking);
    assert.ok('outcome' in found);
    assertOutcome(found, { outcome: 'permanent', blame: 'content' });
    assert.equal(seen.length, 0);
  });
});
