import Type from 'typebox';

import {
  ADDRESS_EVIDENCE,
  ADDRESS_STATES,
  MAX_ADDRESSES,
  MAX_FIELDS,
} from '../../model/people/contact.ts';
import { LanguageTag } from '../instructions.ts';
import { Id, Timestamp, datedFields, nullable } from './schemas.ts';

/* People and their addresses, as requests give them and responses show them. */

const MAX_PREFERENCE = 1000;

/** PostgreSQL refuses NUL, and lone surrogates cannot be stored. */
const isPlain = (text: string) =>
  text.isWellFormed() && !/\p{Cc}/u.test(text) && text.trim() !== '';

const plainText = (maxLength: number, description: string, examples: string[]) =>
  Type.Refine(
    Type.String({ minLength: 1, maxLength, description, examples }),
    isPlain,
    () => 'must not be blank or contain control characters',
  );

const ExternalId = plainText(
  255,
  "The application's own id for the person. Messages name it as `contact:external:ID`.",
  ['customer-4711'],
);

const Name = plainText(200, 'The name of the person.', ['Ada Lovelace']);
const Timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'An IANA time zone.',
  examples: ['Europe/London'],
});

const FieldsSchema = Type.Record(
  Type.String({ pattern: '^[^\\u0000]{1,64}$' }),
  Type.Union([Type.String({ maxLength: 1024 }), Type.Number(), Type.Boolean(), Type.Null()]),
  {
    title: 'ContactFields',
    maxProperties: MAX_FIELDS,
    description: "The application's own fields.",
    examples: [{ plan: 'gold' }],
  },
);

const Label = plainText(100, 'For people, such as "Work".', ['Work']);
const Preference = Type.Integer({
  minimum: 0,
  maximum: MAX_PREFERENCE,
  description: 'The address with the lowest number is used first; 100 by default.',
});
const AddressState = Type.Enum([...ADDRESS_STATES], {
  description: '`disabled` addresses are kept, but not written to.',
});

const ChannelOrFamily = Type.String({
  minLength: 1,
  maxLength: 64,
  description:
    '`sms`, `whatsapp`, `rcs` or `viber` for phone numbers, whichever channel sends to them; otherwise the name of the channel. Prefixed with `sandbox.` for simulated people.',
  examples: ['sms'],
});

export const NewAddressSchema = Type.Object(
  {
    channel: ChannelOrFamily,
    address: Type.String({
      minLength: 1,
      maxLength: 1024,
      pattern: '^[^\\u0000]*$',
      description: "In the channel's format.",
      examples: ['+15558675310'],
    }),
    integration_id: Type.Optional(
      nullable(
        Type.Integer({
          format: 'int64',
          minimum: 1,
          description:
            'The only integration that can use the address; by default every integration of the channel.',
        }),
      ),
    ),
    label: Type.Optional(nullable(Label)),
    preference: Type.Optional(Preference),
    state: Type.Optional(AddressState),
  },
  { title: 'NewAddress' },
);

export const AddressUpdateSchema = Type.Object(
  {
    label: Type.Optional(nullable(Label)),
    preference: Type.Optional(Preference),
    state: Type.Optional(AddressState),
  },
  { title: 'AddressUpdate' },
);

const changeable = {
  external_id: Type.Optional(nullable(ExternalId)),
  name: Type.Optional(nullable(Name)),
  locale: Type.Optional(nullable(LanguageTag)),
  timezone: Type.Optional(nullable(Timezone)),
  fields: Type.Optional(FieldsSchema),
};

export const ContactUpdateSchema = Type.Object(changeable, { title: 'ContactUpdate' });

export const NewContactSchema = Type.Object(
  {
    ...changeable,
    addresses: Type.Optional(Type.Array(NewAddressSchema, { maxItems: MAX_ADDRESSES })),
  },
  { title: 'NewContact' },
);

export const AddressSchema = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    channel: ChannelOrFamily,
    integration_id: nullable(Id),
    address: Type.String(),
    label: nullable(Type.String()),
    preference: Preference,
    state: AddressState,
    evidence: Type.Enum([...ADDRESS_EVIDENCE], {
      description:
        'Source of the address: a request, an import, a message from the address, or the vendor, which reported it as another address of the same person.',
    }),
    attested_by: nullable(
      Type.Integer({
        format: 'int64',
        description:
          'Id of the address together with which the vendor reported this one. When contacts are unmerged, both return to the same contact.',
      }),
    ),
    signed_id: nullable(
      Type.String({
        description: 'The external id that you signed when the person wrote in the web chat.',
      }),
    ),
    last_inbound_at: nullable(Timestamp),
  },
  { title: 'Address' },
);

export const ContactSchema = Type.Object(
  {
    ...datedFields,
    external_id: nullable(Type.String()),
    name: nullable(Type.String()),
    locale: nullable(Type.String()),
    timezone: nullable(Type.String()),
    fields: FieldsSchema,
    addresses: Type.Array(AddressSchema),
  },
  { title: 'Contact' },
);
