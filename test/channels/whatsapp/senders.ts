import { ignored } from '../../../src/channels/inbound.ts';
import { GROUP, NUMBER_ID, PEOPLE } from '../../emulators/meta/whatsapp.ts';
import type { HookCase } from '../hooks.ts';

/*
 * Senders and their ids in Meta's webhooks.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */

export const ID = 'wamid.HBgLMTY1MDU1NTEyMzQVAgASGBQzQUFFfake';
export const AT = 1_749_416_383_000;
export const received = {
  what: 'message',
  key: ID,
  from: { id: PEOPLE.known, name: 'Ada Lovelace', otherAddresses: [] },
  at: AT,
  id: ID,
} as const;

export const change = (value: object, number = NUMBER_ID, field = 'messages') => ({
  body: {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '102290129340399',
        changes: [
          {
            field,
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '15550101234', phone_number_id: number },
              ...value,
            },
          },
        ],
      },
    ],
  },
});
export const contacts = [{ profile: { name: 'Ada Lovelace' }, wa_id: PEOPLE.known }];
export const message = (more: object) => ({
  from: PEOPLE.known,
  id: ID,
  timestamp: '1749416383',
  ...more,
});
export const messages = (...more: object[]) => change({ contacts, messages: more.map(message) });

const [NUMBER, OTHER_NUMBER] = [PEOPLE.known, '16505559999'];
const [USER_ID, NEW_USER_ID] = [PEOPLE.hidden, 'US.2222222222'];
const PARENT_ID = 'US.ENT.11815799212886844830';
const system = (more: object, given: object = { from: NUMBER }) =>
  change({
    messages: [{ ...given, id: ID, timestamp: '1749416383', type: 'system', system: more }],
  });
const contactChange = {
  what: 'contact',
  key: `${USER_ID}:${NEW_USER_ID}`,
  from: { id: NUMBER, otherAddresses: [USER_ID] },
  to: { id: OTHER_NUMBER, otherAddresses: [NEW_USER_ID] },
  at: AT,
} as const;

/** Senders with several addresses. */
export const SENDER_CASES: HookCase[] = [
  {
    it: "receives a sender's number with the ids that stay when it is hidden",
    call: change({
      contacts: [
        {
          profile: { name: 'Ada Lovelace', username: '@ada' },
          wa_id: NUMBER,
          user_id: USER_ID,
          parent_user_id: PARENT_ID,
        },
      ],
      messages: [
        message({
          from_user_id: USER_ID,
          from_parent_user_id: PARENT_ID,
          type: 'text',
          text: { body: 'Hi' },
        }),
      ],
    }),
    inboundEvents: [
      { ...received, from: { ...received.from, otherAddresses: [USER_ID, PARENT_ID] }, text: 'Hi' },
    ],
  },
  {
    it: 'receives a group message with its author',
    call: messages({ type: 'text', text: { body: 'To all' }, group_id: GROUP }),
    inboundEvents: [{ ...received, group: { id: GROUP }, text: 'To all' }],
  },
  {
    it: 'receives a number change with the changed id',
    call: system({
      body: 'User Ada changed',
      type: 'user_changed_number',
      wa_id: OTHER_NUMBER,
      user_id: NEW_USER_ID,
      previous_user_id: USER_ID,
    }),
    inboundEvents: [contactChange],
  },
  {
    it: 'receives a number change without ids',
    call: system({ body: 'User', type: 'user_changed_number', wa_id: OTHER_NUMBER }),
    inboundEvents: [
      {
        ...contactChange,
        key: ID,
        from: { id: NUMBER, otherAddresses: [] },
        to: { id: OTHER_NUMBER, otherAddresses: [] },
      },
    ],
  },
  {
    it: 'receives an id change of a sender with a hidden number',
    call: system(
      {
        type: 'user_changed_user_id',
        user_id: NEW_USER_ID,
        previous_user_id: USER_ID,
      },
      {},
    ),
    inboundEvents: [
      {
        ...contactChange,
        from: { id: USER_ID, otherAddresses: [] },
        to: { id: NEW_USER_ID, otherAddresses: [] },
      },
    ],
  },
  {
    it: 'gives an id change the same key in either notification',
    call: change(
      {
        user_id_update: [
          {
            wa_id: OTHER_NUMBER,
            detail: 'User id has been updated.',
            user_id: { previous: USER_ID, current: NEW_USER_ID },
            timestamp: '1749416383',
          },
        ],
      },
      NUMBER_ID,
      'user_id_update',
    ),
    inboundEvents: [{ ...contactChange, from: { id: USER_ID, otherAddresses: [] } }],
  },
  {
    it: 'ignores other system messages',
    call: system({ type: 'customer_identity_changed', body: 'x' }),
    inboundEvents: ignored('system.customer_identity_changed', 'no_event'),
  },
  ...(['stop', 'resume'] as const).map((value): HookCase => ({
    it: `receives a change of marketing consent to ${value}`,
    call: change(
      {
        contacts,
        user_preferences: [
          {
            wa_id: NUMBER,
            user_id: USER_ID,
            detail: 'User requested',
            category: 'marketing_messages',
            value,
            timestamp: 1_749_416_383,
          },
        ],
      },
      NUMBER_ID,
      'user_preferences',
    ),
    inboundEvents: [
      {
        what: value === 'stop' ? 'opt-out' : 'opt-in',
        key: `${NUMBER}:marketing_messages:${AT}`,
        from: { id: NUMBER, name: 'Ada Lovelace', otherAddresses: [USER_ID] },
        category: 'marketing_messages',
        at: AT,
      },
    ],
  })),
];
