import Type from 'typebox';

import { CONDITIONS, ROUTE_STATES } from '../../model/sending/message-route.ts';
import { Id, Timestamp, nullable } from './schemas.ts';

/** `active` is shown as the state of the message. */
const SHOWN_STATES = [
  'pending',
  'scheduled',
  'queued',
  'sending',
  ...ROUTE_STATES.filter((state) => state !== 'pending' && state !== 'active'),
];

export const MessageRouteSchema = Type.Object(
  {
    via: Type.String({ description: 'The `via` of the request.', examples: ['whatsapp'] }),
    integration_id: Id,
    to: Type.String({ description: "The recipient, in the channel's format." }),
    state: Type.Enum(SHOWN_STATES, {
      description:
        '`pending`: not started yet. `skipped`: not allowed when its turn came. `unused`: not needed, because the message did not need another route.',
    }),
    until: Type.Optional(Type.Enum([...CONDITIONS])),
    started_at: nullable(Timestamp),
    deadline: nullable(Timestamp),
    ended_at: nullable(Timestamp),
    parts_sent: Type.Integer({ minimum: 0 }),
    channel_ids: Type.Array(Type.String()),
    because: nullable(
      Type.Object(
        { code: Type.String(), title: Type.String(), detail: nullable(Type.String()) },
        { description: 'Why it ended or was skipped.' },
      ),
    ),
    revised_by: Type.Optional(
      Type.Integer({
        format: 'int64',
        minimum: 1,
        description:
          'The `Update` whose content the route sends, because the route started after the update.',
      }),
    ),
    maybe_sent: Type.Boolean({
      description: 'Whether an attempt may have arrived although its response was lost.',
    }),
  },
  { title: 'MessageRoute' },
);
