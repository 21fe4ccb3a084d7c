import Type, { type TSchema } from 'typebox';

import { EVENT_TYPES, type EventType } from '../model/event.ts';
import { MESSAGE_STATES } from '../model/message.ts';
import { ThreadSchema } from './activity.ts';
import { Id, Timestamp, nullable } from './schemas.ts';

/* What the events say, each in its `data`. OpenAPI shows them as the webhooks that they are. */

const named = { id: Type.String(), name: Type.Optional(Type.String()) };

const alsoKnownAs = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Other addresses of the same person, where the channel tells them.',
  }),
);

const PersonSchema = Type.Object(
  { type: Type.Literal('Person'), ...named, alsoKnownAs },
  { title: 'ReceivedPerson' },
);

const media = {
  url: Type.Optional(
    Type.String({
      description: 'An address of the service; it takes the token of the application.',
    }),
  ),
  mediaType: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  content: Type.Optional(Type.String({ description: 'The text; of a file, the caption.' })),
  latitude: Type.Optional(Type.Number()),
  longitude: Type.Optional(Type.Number()),
};

const ReceivedAttachmentSchema = Type.Object(
  {
    type: Type.Enum(['Note', 'Image', 'Video', 'Audio', 'Document', 'Place', 'Link', 'Button']),
    ...media,
    value: Type.Optional(Type.String({ description: 'Of the button that was pressed.' })),
  },
  { title: 'ReceivedAttachment' },
);

const ReceivedItemSchema = Type.Object(
  {
    type: Type.Enum(['Note', 'Image', 'Video', 'Audio', 'Document', 'Place']),
    ...media,
    attachment: Type.Optional(Type.Array(ReceivedAttachmentSchema)),
  },
  { title: 'ReceivedItem' },
);

const ReceivedObjectSchema = Type.Object(
  {
    type: Type.Enum([
      'Note',
      'Image',
      'Video',
      'Audio',
      'Document',
      'Place',
      'Collection',
      'Tombstone',
      'Person',
    ]),
    id: Type.Optional(
      Type.String({
        description:
          "The channel's id of the message, to be replied to; of a pressed button without one, an id that begins with `press:`.",
      }),
    ),
    ...media,
    source: Type.Optional(
      Type.Object(
        { content: Type.String(), mediaType: Type.String() },
        {
          description:
            'HTML as it came, where `content` is sanitised. It must not be shown on a page as it is.',
        },
      ),
    ),
    inReplyTo: Type.Optional(Type.String({ description: 'The id of the message it answers.' })),
    context: Type.Optional(ThreadSchema),
    attributedTo: Type.Optional(PersonSchema),
    attachment: Type.Optional(Type.Array(ReceivedAttachmentSchema)),
    items: Type.Optional(Type.Array(ReceivedItemSchema, { description: 'Of a Collection.' })),
  },
  { title: 'ReceivedObject' },
);

const ReceivedActivitySchema = Type.Object(
  {
    '@context': Type.String(),
    id: Type.String({ description: 'The address of the event.' }),
    type: Type.Enum(['Create', 'Update', 'Delete', 'Join', 'Leave']),
    published: Type.Integer({ description: 'Unix time in seconds, by the clock of the channel.' }),
    generator: Type.Object(
      { type: Type.Literal('Service'), ...named },
      { description: 'The integration that heard it.' },
    ),
    actor: Type.Object(
      { type: Type.Literal('Person'), ...named, alsoKnownAs },
      {
        description:
          'Where to answer, with the name of who it was: their id, or in a shared room the id of the room. Who it was there is `object.attributedTo`.',
      },
    ),
    target: Type.Object(
      { type: Type.Enum(['Application', 'Group']), ...named },
      { description: 'The group that it was said in; otherwise the integration.' },
    ),
    object: ReceivedObjectSchema,
  },
  {
    title: 'ReceivedActivity',
    description: 'What somebody wrote or did, as an Activity Streams 2.0 activity.',
  },
);

const UnreadableReportSchema = Type.Object(
  {
    application_id: Id,
    integration_id: Id,
    channel: Type.String({ examples: ['email'] }),
    reason: Type.Enum(['malformed', 'timeout', 'memory', 'crash', 'interrupted', 'unsupported'], {
      description:
        'Why the message was skipped: it is `malformed`, or reading it took too long (`timeout`), too much `memory` or ended its thread (`crash`); or the process ended while reading it (`interrupted`); or the channel does not tell what it says (`unsupported`).',
    }),
    sender: nullable(Type.String({ description: 'The sender, as the message names it.' })),
    message_id: nullable(Type.String({ description: "The channel's id of the message." })),
    received_at: Timestamp,
  },
  {
    title: 'UnreadableReport',
    description:
      'A message that could not be read and was skipped. A mail is still in the mailbox; of `unsupported` ones, only the sender can see what they say.',
  },
);

const ofContact = {
  application_id: Id,
  integration_id: Id,
  channel: Type.String({ examples: ['whatsapp'] }),
};

const ContactChangeSchema = Type.Object(
  {
    ...ofContact,
    previous: PersonSchema,
    current: PersonSchema,
    at: Timestamp,
  },
  {
    title: 'ContactChange',
    description:
      'Somebody has another address, such as a new phone number. What is sent to the previous one may reach somebody else.',
  },
);

const ContactConsentSchema = Type.Object(
  {
    ...ofContact,
    contact: PersonSchema,
    category: Type.String({
      description: "What it is about, in the channel's words.",
      examples: ['marketing_messages'],
    }),
    at: Timestamp,
  },
  { title: 'ContactConsent' },
);

const MessageReportSchema = Type.Object(
  {
    id: Id,
    application_id: Id,
    integration_id: Id,
    state: Type.Enum([...MESSAGE_STATES]),
    to: Type.String({ description: 'The recipient, as the channel writes it.' }),
    object_id: nullable(Type.String({ description: 'What the caller called it: `object.id`.' })),
    channel_ids: Type.Array(Type.String()),
    error: nullable(Type.Object({ code: Type.String(), detail: nullable(Type.String()) })),
  },
  { title: 'MessageReport', description: 'What became of a message that was sent.' },
);

const IntegrationReportSchema = Type.Object(
  {
    application_id: Id,
    integration_id: Id,
    channel: Type.String({ examples: ['telegram'] }),
    reason: Type.Optional(
      Type.Enum(['credentials', 'transient'], {
        description:
          'Why it fails: `credentials` are refused, or the channel is unreachable or out of order (`transient`).',
      }),
    ),
    detail: Type.Optional(
      nullable(Type.String({ description: 'The last error, in the words of the channel.' })),
    ),
    since: Type.Optional(
      Type.String({
        ...Timestamp,
        description: 'Start of the failing period, UTC: its first failed attempt or check.',
      }),
    ),
  },
  { title: 'IntegrationReport' },
);

const WebhookReportSchema = Type.Object(
  {
    application_id: Id,
    reason: Type.Optional(Type.String()),
    detail: Type.Optional(nullable(Type.String())),
  },
  { title: 'WebhookReport' },
);

/** What is in the `data` of each type of event. */
export const EVENT_DATA: Readonly<Record<EventType, TSchema>> = {
  'message.received': ReceivedActivitySchema,
  'message.edited': ReceivedActivitySchema,
  'message.deleted': ReceivedActivitySchema,
  'message.unreadable': UnreadableReportSchema,
  'member.joined': ReceivedActivitySchema,
  'member.left': ReceivedActivitySchema,
  'contact.changed': ContactChangeSchema,
  'contact.opted_out': ContactConsentSchema,
  'contact.opted_in': ContactConsentSchema,
  'message.sent': MessageReportSchema,
  'message.delivered': MessageReportSchema,
  'message.read': MessageReportSchema,
  'message.failed': MessageReportSchema,
  'message.uncertain': MessageReportSchema,
  'message.canceled': MessageReportSchema,
  'message.expired': MessageReportSchema,
  'integration.failing': IntegrationReportSchema,
  'integration.recovered': IntegrationReportSchema,
  'webhook.paused': WebhookReportSchema,
  'webhook.test': WebhookReportSchema,
};

const DESCRIPTIONS: Readonly<Record<EventType, string>> = {
  'message.received': 'Somebody wrote a message or pressed a button.',
  'message.edited': 'Somebody edited a message.',
  'message.deleted': 'Somebody deleted a message.',
  'message.unreadable': 'A message could not be read and was skipped.',
  'member.joined': 'Somebody joined a group, or subscribed.',
  'member.left': 'Somebody left a group, or unsubscribed.',
  'contact.changed': 'Somebody has another address.',
  'contact.opted_out': 'Somebody wants no more messages of a kind, such as marketing.',
  'contact.opted_in': 'Somebody wants messages of a kind again.',
  'message.sent': 'The channel took a message.',
  'message.delivered': 'The channel reports that a message arrived.',
  'message.read': 'The channel reports that a message was read.',
  'message.failed': 'A message failed for good.',
  'message.uncertain': 'Whether a message was sent is not known.',
  'message.canceled': 'A message was canceled.',
  'message.expired': 'A message was not sent before its `endTime`.',
  'integration.failing': 'An integration began to fail.',
  'integration.recovered': 'An integration works again.',
  'webhook.paused': 'The webhook failed for too long and is paused.',
  'webhook.test': 'A test that was asked for.',
};

/** A type of event as an identifier: `message.received` is `MessageReceived`. */
export function pascalCase(type: EventType): string {
  return type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** An event of one type, as the feed has it and as it is posted to the webhook of an application. */
export function eventSchema(type: EventType): TSchema {
  return Type.Object(
    {
      // A test is not in the feed, and so has no place in it.
      ...(type !== 'webhook.test' && {
        id: Type.Integer({
          minimum: 1,
          description: 'Its place in the feed: 1, 2, 3, without a gap.',
        }),
      }),
      type: Type.Literal(type),
      timestamp: Type.String({ format: 'date-time' }),
      data: EVENT_DATA[type],
    },
    { title: `${pascalCase(type)}Event`, description: DESCRIPTIONS[type] },
  );
}

export const POSTED = EVENT_TYPES.map((type) => ({
  type,
  description: DESCRIPTIONS[type],
  schema: eventSchema(type),
}));

const inFeed = POSTED.filter(({ type }) => type !== 'webhook.test');

interface AnyEvent {
  id: number;
  type: EventType;
  timestamp: string;
  data: unknown;
}

/** Any event of the feed: its `type` says which. */
export const EventSchema = Type.Unsafe<AnyEvent>({
  title: 'Event',
  anyOf: inFeed.map(({ schema }) => schema),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(
      inFeed.map(({ type }) => [type, `#/components/schemas/${pascalCase(type)}Event`]),
    ),
  },
});
