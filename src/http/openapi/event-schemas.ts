import Type, { type TSchema } from 'typebox';

import { EVENT_TYPES, type EventType } from '../../model/event.ts';
import { MESSAGE_STATES } from '../../model/message.ts';
import { ThreadSchema } from '../activity.ts';
import { ConsentSchema } from './consent-schemas.ts';
import { CONTACT_EVENTS } from './contact-event-schemas.ts';
import { Id, Timestamp, nullable } from './schemas.ts';

/* Schemas of event `data`. OpenAPI shows them as webhooks. */

const named = { id: Type.String(), name: Type.Optional(Type.String()) };

const alsoKnownAs = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Other addresses of the same person, if the channel reports them.',
  }),
);

const PersonSchema = Type.Object(
  { type: Type.Literal('Person'), ...named, alsoKnownAs },
  { title: 'ReceivedPerson' },
);

const media = {
  url: Type.Optional(
    Type.String({
      description: 'A URL of this service; fetch it with the application token.',
    }),
  ),
  mediaType: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  content: Type.Optional(Type.String({ description: 'The text, or the caption of a file.' })),
  latitude: Type.Optional(Type.Number()),
  longitude: Type.Optional(Type.Number()),
};

const ReceivedAttachmentSchema = Type.Object(
  {
    type: Type.Enum(['Note', 'Image', 'Video', 'Audio', 'Document', 'Place', 'Link', 'Button']),
    ...media,
    value: Type.Optional(Type.String({ description: 'Label of the pressed button.' })),
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
          "The channel's message id, for replies. A pressed button without one gets an id that begins with `press:`.",
      }),
    ),
    ...media,
    source: Type.Optional(
      Type.Object(
        { content: Type.String(), mediaType: Type.String() },
        {
          description: 'The original HTML if `content` is sanitized. Never put it on a page.',
        },
      ),
    ),
    inReplyTo: Type.Optional(Type.String({ description: 'Id of the message it replies to.' })),
    context: Type.Optional(ThreadSchema),
    attributedTo: Type.Optional(PersonSchema),
    attachment: Type.Optional(Type.Array(ReceivedAttachmentSchema)),
    items: Type.Optional(Type.Array(ReceivedItemSchema, { description: 'Items of a Collection.' })),
  },
  { title: 'ReceivedObject' },
);

const sandbox = Type.Optional(
  Type.Literal(true, { description: 'Set in the sandbox: the vendor was simulated.' }),
);

const ReceivedActivitySchema = Type.Object(
  {
    '@context': Type.String(),
    id: Type.String({ description: 'URL of the event.' }),
    type: Type.Enum(['Create', 'Update', 'Delete', 'Join', 'Leave']),
    published: Type.Integer({ description: "Unix time in seconds, by the channel's clock." }),
    generator: Type.Object(
      { type: Type.Literal('Service'), ...named },
      { description: 'The integration that received it.' },
    ),
    actor: Type.Object(
      { type: Type.Literal('Person'), ...named, alsoKnownAs },
      {
        description:
          "Where replies go: the sender's id, or in a shared room the room's id, with the sender's name. The person is in `object.attributedTo`.",
      },
    ),
    target: Type.Object(
      { type: Type.Enum(['Application', 'Group']), ...named },
      { description: 'The group it was sent in, otherwise the integration.' },
    ),
    object: ReceivedObjectSchema,
    contact_id: Type.Optional(
      Type.Integer({ format: 'int64', description: 'The contact who wrote it, if there is one.' }),
    ),
    sandbox,
  },
  {
    title: 'ReceivedActivity',
    description: 'A message or action of a person, as an Activity Streams 2.0 activity.',
  },
);

const UnreadableReportSchema = Type.Object(
  {
    application_id: Id,
    integration_id: Id,
    channel: Type.String({ examples: ['email'] }),
    sandbox,
    reason: Type.Enum(['malformed', 'timeout', 'memory', 'crash', 'interrupted', 'unsupported'], {
      description:
        'Why the message was skipped: it cannot be parsed, or its mail server does not return it (`malformed`); parsing reached the `timeout` or the `memory` limit, or crashed its thread (`crash`); the process ended while parsing (`interrupted`); or the channel does not report the content (`unsupported`).',
    }),
    sender: nullable(Type.String({ description: 'The sender named in the message.' })),
    message_id: nullable(Type.String({ description: "The channel's message id." })),
    received_at: Timestamp,
  },
  {
    title: 'UnreadableReport',
    description:
      'A message that could not be read and was skipped. An email stays in the mailbox. Only the sender can see the content of an `unsupported` message.',
  },
);

const ofContact = {
  application_id: Id,
  integration_id: Id,
  channel: Type.String({ examples: ['whatsapp'] }),
  sandbox,
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
      "A person's address changed, for example to a new phone number. Messages to the previous address may reach somebody else.",
  },
);

const ContactConsentSchema = Type.Object(
  {
    ...ofContact,
    contact: PersonSchema,
    category: Type.String({
      description: "The category of messages, by the channel's name for it.",
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
    to: Type.String({ description: "The recipient, in the channel's format." }),
    object_id: nullable(Type.String({ description: "The caller's own id: `object.id`." })),
    channel_ids: Type.Array(Type.String()),
    route: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The number of the route, from 0, if the message has several.',
      }),
    ),
    duplicate: Type.Optional(
      Type.Literal(true, {
        description: 'Set if another route has also sent the message.',
      }),
    ),
    send_at: Type.Optional(Timestamp),
    error: nullable(Type.Object({ code: Type.String(), detail: nullable(Type.String()) })),
    sandbox,
  },
  { title: 'MessageReport', description: 'State of a sent message.' },
);

const ofRoute = {
  route: Type.Integer({ minimum: 0 }),
  integration_id: Id,
  to: Type.String({ description: "The recipient, in the channel's format." }),
};

const RerouteReportSchema = Type.Object(
  {
    id: Id,
    application_id: Id,
    state: Type.Literal('queued'),
    ...ofRoute,
    object_id: nullable(Type.String({ description: "The caller's own id: `object.id`." })),
    from: Type.Object(ofRoute, { description: 'The route that ended.' }),
    because: Type.Object(
      { code: Type.String(), detail: nullable(Type.String()) },
      { description: 'Why it ended; `deadline`: `until` was not met in time.' },
    ),
    maybe_sent: Type.Boolean({
      description: 'Whether the route that ended may have sent the message: a response was lost.',
    }),
    sandbox,
  },
  { title: 'RerouteReport', description: 'A message moves to its next route.' },
);

const IntegrationReportSchema = Type.Object(
  {
    application_id: Id,
    integration_id: Id,
    channel: Type.String({ examples: ['telegram'] }),
    scope: Type.Enum(['sending', 'receiving'], {
      description: 'What fails or works again. `receiving`: the live session of the channel.',
    }),
    reason: Type.Optional(
      Type.Enum(['credentials', 'transient'], {
        description:
          'Cause: `credentials` were refused, or the channel is unreachable or failing (`transient`).',
      }),
    ),
    detail: Type.Optional(
      nullable(Type.String({ description: "The channel's last error message." })),
    ),
    since: Type.Optional(
      Type.String({
        ...Timestamp,
        description:
          'Start of the failing period, UTC: its first failed attempt, check or session.',
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

const ConsentReportSchema = Type.Object(
  { application_id: Id, ...ConsentSchema.properties },
  { title: 'ConsentReport' },
);

export const EVENT_DATA: Readonly<Record<EventType, TSchema>> = {
  'message.received': ReceivedActivitySchema,
  'message.edited': ReceivedActivitySchema,
  'message.deleted': ReceivedActivitySchema,
  'message.unreadable': UnreadableReportSchema,
  'member.joined': ReceivedActivitySchema,
  'member.left': ReceivedActivitySchema,
  ...CONTACT_EVENTS,
  'contact.changed': ContactChangeSchema,
  'contact.opted_out': ContactConsentSchema,
  'contact.opted_in': ContactConsentSchema,
  'consent.revoked': ConsentReportSchema,
  'consent.granted': ConsentReportSchema,
  'message.sent': MessageReportSchema,
  'message.delivered': MessageReportSchema,
  'message.read': MessageReportSchema,
  'message.failed': MessageReportSchema,
  'message.uncertain': MessageReportSchema,
  'message.canceled': MessageReportSchema,
  'message.expired': MessageReportSchema,
  'message.deferred': MessageReportSchema,
  'message.rerouted': RerouteReportSchema,
  'message.suppressed': MessageReportSchema,
  'integration.failing': IntegrationReportSchema,
  'integration.recovered': IntegrationReportSchema,
  'webhook.paused': WebhookReportSchema,
  'webhook.test': WebhookReportSchema,
};

const DESCRIPTIONS: Readonly<Record<EventType, string>> = {
  'message.received': 'A person sent a message or pressed a button.',
  'message.edited': 'A person edited a message.',
  'message.deleted': 'A person deleted a message.',
  'message.unreadable': 'A message could not be read and was skipped.',
  'member.joined': 'A person joined a group or subscribed.',
  'member.left': 'A person left a group or unsubscribed.',
  'contact.created': 'A contact was created.',
  'contact.erased': 'Everything about a contact was erased.',
  'contact.changed': "A person's address changed.",
  'contact.merged': 'A contact was merged into another.',
  'contact.unmerged': 'A merge of two contacts was undone.',
  'contact.conflict':
    'A vendor reports two contacts as one person, but they cannot be merged automatically.',
  'contact.opted_out': 'A person stopped messages of a category, such as marketing.',
  'contact.opted_in': 'A person resumed messages of a category.',
  'consent.revoked': 'A person, or the vendor, stopped messages to an address.',
  'consent.granted': 'A person allowed messages to an address.',
  'message.sent': 'The channel accepted a message.',
  'message.delivered': 'The channel reports that a message arrived.',
  'message.read': 'The channel reports that a message was read.',
  'message.failed': 'A message failed permanently.',
  'message.uncertain': 'It is unknown whether a message was sent.',
  'message.canceled': 'A message was canceled.',
  'message.expired': 'A message was not sent before its `endTime`.',
  'message.deferred': 'A message waits for the end of quiet hours, at `send_at`.',
  'message.rerouted': 'A route of a message ended, and the next one starts.',
  'message.suppressed': 'A message was not sent because its recipient does not accept it.',
  'integration.failing': 'An integration started to fail.',
  'integration.recovered': 'An integration works again.',
  'webhook.paused': 'The webhook failed for too long and is paused.',
  'webhook.test': 'A test event, sent on request.',
};

/** `message.received` becomes `MessageReceived`. */
export function pascalCase(type: EventType): string {
  return type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** An event as in the feed and in the webhook request. */
export function eventSchema(type: EventType): TSchema {
  return Type.Object(
    {
      // Test events are not in the feed and have no position.
      ...(type !== 'webhook.test' && {
        id: Type.Integer({
          minimum: 1,
          description: 'Position in the feed: 1, 2, 3. Only erased events are missing.',
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

/** Any event of the feed, by `type`. */
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
