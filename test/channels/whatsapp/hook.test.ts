import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { whatsapp } from '../../../src/channels/whatsapp/channel.ts';
import { TOKEN } from '../../emulators/meta/graph.ts';
import { FILES, NUMBER_ID, PEOPLE, openWhatsApp } from '../../emulators/meta/whatsapp.ts';
import { find, register } from '../hook-setup.ts';
import { HOOK_URL, type HookCase, testHook } from '../hooks.ts';
import { HANDSHAKE, SECRETS, proveAsMeta } from '../meta/proof.ts';
import { assertOutcome } from '../suite.ts';
import { AT, ID, SENDER_CASES, change, contacts, received, messages } from './senders.ts';

/* https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages */

const status = (more: object) =>
  change({
    statuses: [{ id: 'wamid.sent', timestamp: '1749416383', recipient_id: PEOPLE.known, ...more }],
  });

const file = { id: FILES.here, mime_type: 'image/jpeg', sha256: 'a' };

const cases: HookCase[] = [
  HANDSHAKE,
  {
    it: 'receives a text with the id of the message it replies to',
    call: messages({
      type: 'text',
      text: { body: 'Good morning! 👋' },
      context: { from: '15550101234', id: 'wamid.sent' },
    }),
    inboundEvents: [{ ...received, text: 'Good morning! 👋', replyTo: 'wamid.sent' }],
  },
  {
    it: 'receives several events in one request',
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
    it: 'receives a sender with a hidden number',
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
      { ...received, from: { id: PEOPLE.hidden, name: 'Grace', otherAddresses: [] }, text: 'Hi' },
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
  ).map(([type, receivedType, sent, had]): HookCase => ({
    it: `receives ${type}`,
    call: messages({ type, [type]: { ...file, ...sent } }),
    inboundEvents: [
      {
        ...received,
        media: [{ type: receivedType, reference: FILES.here, mediaType: 'image/jpeg', ...had }],
      },
    ],
  })),
  {
    it: 'knows that a person who comes from an ad can perhaps be written to for 72 hours',
    call: messages({
      type: 'text',
      text: { body: 'Hi' },
      referral: { source_type: 'ad', source_id: '1', ctwa_clid: 'a' },
    }),
    inboundEvents: [
      { ...received, text: 'Hi', opens: { forMs: 24 * 3_600_000, perhapsForMs: 72 * 3_600_000 } },
    ],
  },
  {
    it: 'receives the category of the price with a report',
    call: status({
      status: 'delivered',
      pricing: {
        billable: false,
        pricing_model: 'PMP',
        type: 'free_customer_service',
        category: 'service',
      },
    }),
    inboundEvents: [
      {
        what: 'receipt',
        id: 'wamid.sent',
        state: 'delivered',
        cost: { category: 'service', billable: false },
      },
    ],
  },
  {
    it: 'receives a place',
    call: messages({
      type: 'location',
      location: { latitude: 51.5, longitude: -0.12, name: 'The mill', address: 'A' },
    }),
    inboundEvents: [{ ...received, place: { latitude: 51.5, longitude: -0.12, name: 'The mill' } }],
  },
  {
    it: 'receives contacts as a text',
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
    it: 'receives a button press',
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
    it: 'receives the chosen list item',
    call: messages({
      type: 'interactive',
      interactive: { type: 'list_reply', list_reply: { id: 'tea', title: 'Tea', description: '' } },
    }),
    inboundEvents: [{ ...received, button: { name: 'Tea', value: 'tea' } }],
  },
  {
    it: 'receives a template button press',
    call: messages({ type: 'button', button: { text: 'Stop', payload: 'stop' } }),
    inboundEvents: [{ ...received, button: { name: 'Stop', value: 'stop' } }],
  },
  {
    it: 'receives an edit',
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
    it: 'receives a deletion',
    call: messages({ type: 'revoke', revoke: { original_message_id: 'wamid.1' } }),
    inboundEvents: [{ ...received, what: 'deletion', id: 'wamid.1' }],
  },
  ...(['delivered', 'read'] as const).map((state): HookCase => ({
    it: `receives the status ${state}`,
    call: status({ status: state }),
    inboundEvents: [{ what: 'receipt', id: 'wamid.sent', state }],
  })),
  {
    it: 'receives a failure report with its reason',
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
  {
    it: 'ignores the status sent, which it knows already',
    call: status({ status: 'sent' }),
    inboundEvents: [],
  },
  {
    it: "ignores events of the app's other numbers",
    call: change({ contacts, messages: [{ from: PEOPLE.known, id: ID, type: 'text' }] }, '1'),
    inboundEvents: ignored('messages', 'elsewhere'),
  },
  {
    it: 'ignores reactions',
    call: messages({ type: 'reaction', reaction: { message_id: 'wamid.sent', emoji: '👍' } }),
    inboundEvents: ignored('messages.reaction', 'no_event'),
  },
  ...[
    { type: 'unsupported', errors: [{ code: 131_051 }] },
    { type: 'order', order: { catalog_id: '1', product_items: [] } },
    { type: 'of_the_future', of_the_future: {} },
  ].map((each): HookCase => ({
    it: `reports unsupported messages as unreadable: ${each.type}`,
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
    it: 'ignores account events',
    call: change({ event: 'PHONE_NUMBER_ADDED' }, NUMBER_ID, 'account_update'),
    inboundEvents: ignored('account_update', 'no_event'),
  },
  ...SENDER_CASES,
];

const credentials = { token: TOKEN, username: NUMBER_ID, ...SECRETS };

testHook(whatsapp, { credentials, prove: proveAsMeta, coversBody: true, cases });

describe('whatsapp webhook registration', () => {
  const registerWith = async (given: object) =>
    register(whatsapp, { open: openWhatsApp, credentials: { ...credentials, ...given } });

  it('registers the URL for this number', async () => {
    const { outcome, seen, renewed } = await registerWith({});
    assertOutcome(outcome, { outcome: 'known', as: `the number ${NUMBER_ID}` });
    assert.deepEqual(seen[0]?.json, {
      webhook_configuration: { override_callback_uri: HOOK_URL, verify_token: SECRETS.secret },
    });
    assert.deepEqual(renewed, []);
  });

  it('generates a missing verify token', async () => {
    const { outcome, seen, renewed } = await registerWith({ secret: '' });
    assertOutcome(outcome, { outcome: 'known', as: `the number ${NUMBER_ID}` });
    const secret = renewed[0]?.secret ?? '';
    assert.match(secret, /^[\w-]{43}$/);
    assert.partialDeepStrictEqual(seen, [
      { json: { webhook_configuration: { verify_token: secret } } },
    ]);
  });

  it('reports why registration failed', async () => {
    const other = await registerWith({ token: 'EAAfakeOther' });
    assertOutcome(other.outcome, { outcome: 'permanent', blame: 'credentials', code: '190' });
    const none = await registerWith({ username: '+1 650' });
    assertOutcome(none.outcome, { outcome: 'permanent', blame: 'credentials' });
  });
});

describe('whatsapp file download', () => {
  const asking = { open: openWhatsApp, credentials };

  it('returns the address and the authorization header', async () => {
    const { found } = await find(whatsapp, FILES.here, asking);
    assert.deepEqual(found, {
      url: `https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=${FILES.here}`,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  });

  it('sends no token to other hosts', async () => {
    const { found } = await find(whatsapp, FILES.elsewhere, asking);
    assert.ok('outcome' in found);
    assertOutcome(found, { outcome: 'permanent', blame: 'content', detail: 'Meta' });
  });

  it('reports a missing file and sends no request for a malformed id', async () => {
    const gone = await find(whatsapp, '1', asking);
    assert.ok('outcome' in gone.found);
    assertOutcome(gone.found, { outcome: 'permanent', blame: 'content', code: '100/33' });
    const { found, seen } = await find(whatsapp, '../me', asking);
    assert.ok('outcome' in found);
    assertOutcome(found, { outcome: 'permanent', blame: 'content' });
    assert.equal(seen.length, 0);
  });
});
