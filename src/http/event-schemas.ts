import Type, { type TSchema } from 'typebox';

import { EVENT_TYPES, type EventType } from '../model/event.ts';
import { MESSAGE_STATES } from '../model/message.ts';
import { Id, nullable } from './schemas.ts';

/* What the events say, each in its `data`. OpenAPI shows them as the webhooks that they are. */

const named = { id: Type.String(), name: Type.Optional(Type.String()) };

const PersonSchema = Type.Object(
  { type: Type.Literal('Person'), ...named },
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
    type: Type.Enum(['Image', 'Video', 'Audio', 'Document', 'Place', 'Button']),
    ...media,
    value: Type.Optional(Type.String({ description: 'Of the button that was pressed.' })),
  },
  { title: 'ReceivedAttachment' },
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
      'Tombstone',
      'Person',
    ]),
    id: Type.Optional(
      Type.String({ description: "The channel's id of the message, to be replied to." }),
    ),
    ...media,
    inReplyTo: Type.Optional(Type.String({ description: 'The id of the message it answers.' })),
    context: Type.Optional(Type.String({ description: 'The thread.' })),
    attributedTo: Type.Optional(PersonSchema),
    attachment: Type.Optional(Type.Array(ReceivedAttachmentSchema)),
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
      { type: Type.Literal('Person'), ...named },
      { description: 'Who it was. To answer, send to them.' },
    ),
    target: Type.Object(
      { type: Type.Enum(['Service', 'Group']), ...named },
      { description: 'The group that it was said in; otherwise the integration.' },
    ),
    object: ReceivedObjectSchema,
    context: Type.Optional(Type.String({ description: 'The thread.' })),
  },
  {
    title: 'ReceivedActivity',
    description: 'What somebody wrote or did, as an Activity Streams 2.0 activity.',
  },
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
    reason: Type.Optional(Type.String({ description: 'Why it fails.' })),
    detail: Type.Optional(nullable(Type.String({ description: 'In the words of the channel.' }))),
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
  'member.joined': ReceivedActivitySchema,
  'member.left': ReceivedActivitySchema,
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

/** What is posted to the webhook of an application, by the type of the event. */
export function postedSchema(type: EventType): TSchema {
  return Type.Object({
    // A test is not in the feed, and so has no place in it.
    ...(type !== 'webhook.test' && { id: Type.Integer({ minimum: 1 }) }),
    type: Type.Literal(type),
    timestamp: Type.String({ format: 'date-time' }),
    data: EVENT_DATA[type],
  });
}

export const POSTED = EVENT_TYPES.map((type) => ({ type, schema: postedSchema(type) }));
