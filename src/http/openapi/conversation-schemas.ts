import Type from 'typebox';

import { MESSAGE_STATES } from '../../model/message.ts';
import { EventSchema } from './event-schemas.ts';
import { MessageSchema } from './message-schemas.ts';
import { Id, Timestamp, nullable } from './schemas.ts';

const Direction = Type.Enum(['in', 'out'], {
  description: '`in`: from the person; `out`: to the person.',
});

export const ConversationSchema = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    integration_id: Id,
    channel: Type.String({ examples: ['telegram'] }),
    to: Type.String({ description: 'The `to.id` of messages: a person, or a group.' }),
    name: nullable(
      Type.String({
        description: 'The name of the person or group that the vendor last reported, if any.',
      }),
    ),
    contact: nullable(
      Type.Object({
        id: Id,
        name: nullable(Type.String()),
        external_id: nullable(Type.String()),
      }),
    ),
    unread: Type.Integer({
      minimum: 0,
      description: 'Received messages since the conversation was marked as read.',
    }),
    last_at: Timestamp,
    last: nullable(
      Type.Object(
        {
          direction: Direction,
          at: Timestamp,
          state: Type.Optional(Type.Enum([...MESSAGE_STATES])),
          text: nullable(
            Type.String({
              description: 'The beginning of its text, without formatting; null if it has none.',
            }),
          ),
        },
        { description: 'The last message; null if its retention is over.' },
      ),
    ),
    window: nullable(
      Type.Object(
        {
          state: Type.Enum(['open', 'closed', 'unknown']),
          until: nullable(Timestamp),
        },
        {
          description:
            'Whether the vendor accepts free text now. Null if it always does, or if the integration was deleted.',
        },
      ),
    ),
  },
  { title: 'Conversation' },
);

const EntryId = Type.String({
  description: '`message:` and the id of a sent message, or `event:` and the id of an event.',
  examples: ['message:5615'],
});

export const ConversationEntrySchema = Type.Object(
  {
    id: EntryId,
    direction: Direction,
    at: Timestamp,
    message: Type.Optional(MessageSchema),
    event: Type.Optional(EventSchema),
  },
  {
    title: 'ConversationEntry',
    description: 'A sent message with its state, or the event of a received one.',
  },
);
