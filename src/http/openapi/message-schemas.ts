import Type from 'typebox';

import { ACCEPTED_STATES } from '../../accept/accepted.ts';
import { FAULTS } from '../../model/fault.ts';
import { MESSAGE_STATES } from '../../model/message.ts';
import { CHOICE_REASONS } from '../../model/people/address-choice.ts';
import { ActivitySchema } from '../activity.ts';
import { CategorySchema, MessageOptionsSchema } from '../instructions.ts';
import { WAITING_REASONS } from '../views/waiting.ts';
import { CostSchema } from './cost-schemas.ts';
import { MessageRouteSchema } from './route-schemas.ts';
import { Id, Timestamp, datedFields, nullable } from './schemas.ts';
import { SentTemplateSchema } from './template-schemas.ts';

const StateName = Type.Enum([...MESSAGE_STATES]);

const ContactId = Type.Integer({
  format: 'int64',
  minimum: 1,
  description: 'Set if `to.id` named a contact.',
});

const ChosenBecause = Type.Enum([...CHOICE_REASONS], {
  description: 'Why the message goes to this address of the contact.',
});

export const AcceptedSchema = Type.Object(
  {
    id: Id,
    state: Type.Enum([...ACCEPTED_STATES], {
      description:
        '`scheduled`: it leaves at `send_at`. Only in a batch: `suppressed`, the recipient does not accept such messages; `failed`, quiet hours refuse it.',
    }),
    send_at: Type.Optional(Timestamp),
    created_at: Timestamp,
    integration_id: Id,
    application_id: Id,
    contact_id: Type.Optional(ContactId),
    to: Type.Optional(Type.String({ description: 'The address that was chosen for the contact.' })),
    chosen_because: Type.Optional(ChosenBecause),
  },
  { title: 'AcceptedMessage' },
);

export const MessageSchema = Type.Object(
  {
    ...datedFields,
    application_id: Id,
    integration_id: Id,
    state: StateName,
    to: Type.String({ description: "The recipient, in the channel's format." }),
    attempts: Type.Integer({
      minimum: 0,
      description: 'Number of recorded attempts. Only the last hundred are kept.',
    }),
    failed_attempts: Type.Integer({
      minimum: 0,
      description:
        'Failed attempts since the message was accepted or resent; they drive the retry schedule. A rate limit is not a failure.',
    }),
    parts_sent: Type.Integer({
      minimum: 0,
      description:
        "Number of sent parts. A text that exceeds the channel's limit and several media have several parts.",
    }),
    channel_ids: Type.Array(Type.String(), {
      description: "The channel's ids of the sent parts, if it returns them.",
    }),
    send_at: Type.Optional(Timestamp),
    route: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The route whose state the message has, if it has several.',
      }),
    ),
    expires_at: nullable(Timestamp),
    sent_at: nullable(Timestamp),
    delivered_at: nullable(Timestamp),
    read_at: nullable(Timestamp),
    error: nullable(
      Type.Object(
        {
          code: Type.String({ examples: Object.keys(FAULTS) }),
          title: Type.String(),
          detail: nullable(Type.String({ description: "The channel's error message." })),
          help: Type.String({ description: 'What to do.' }),
        },
        { description: 'Why the last attempt or the message failed.' },
      ),
    ),
    changes: Type.Optional(
      Type.Integer({
        format: 'int64',
        minimum: 1,
        description: 'Of an `Update` or `Delete`: the message with routes that it changes.',
      }),
    ),
    category: Type.Optional(CategorySchema),
    contact_id: Type.Optional(ContactId),
    chosen_because: Type.Optional(ChosenBecause),
    options: Type.Optional(MessageOptionsSchema),
    template: Type.Optional(SentTemplateSchema),
    outside_window: Type.Optional(SentTemplateSchema),
    sandbox: Type.Optional(
      Type.Literal(true, {
        description: 'Set if it was sent in the sandbox: to a simulated vendor.',
      }),
    ),
    message: ActivitySchema,
  },
  { title: 'Message' },
);

export const MessageDetailSchema = Type.Object(
  {
    ...MessageSchema.properties,
    cost: Type.Optional(CostSchema),
    routes: Type.Optional(Type.Array(MessageRouteSchema)),
    waiting: nullable(
      Type.Object({
        reason: Type.Enum([...WAITING_REASONS]),
        until: nullable(Timestamp),
        estimated: Type.Boolean({
          description:
            "Whether `until` is an estimate from the channel's rate and the messages ahead.",
        }),
        detail: Type.String(),
      }),
    ),
  },
  { title: 'MessageDetail' },
);
