import Type from 'typebox';

import { MAX_BEHAVIOURS, MAX_TIMES } from '../../sandbox/faults.ts';
import { RECEIPT_STATES } from '../../sandbox/shown.ts';
import { BehaviourSchema, FaultName, MediaKind, PlaceSchema } from '../views/sandbox.ts';
import { Int64 } from './schemas.ts';

/* What simulated people do, as requested. */

const Address = Type.String({ minLength: 1, maxLength: 1024 });

const who = {
  from: Type.Optional(
    Type.String({
      ...Address,
      description: 'The address of the person; by default the one whose conversation it is.',
      examples: ['123456789'],
    }),
  ),
  room: Type.Optional(
    Type.String({ ...Address, description: 'The address of the room in which it happens.' }),
  ),
};

/** Base64 of 3 MiB. */
export const MAX_DATA_LENGTH = 4 * 1024 * 1024;

export const ReplyBody = Type.Object(
  {
    ...who,
    text: Type.Optional(Type.String({ maxLength: 65_536 })),
    media: Type.Optional(
      Type.Object({
        type: MediaKind,
        data: Type.Optional(
          Type.String({
            maxLength: MAX_DATA_LENGTH,
            description: 'The file in base64; a small sample by default.',
          }),
        ),
        media_type: Type.Optional(Type.String({ pattern: '^[\\w.+-]{1,60}/[\\w.+-]{1,60}$' })),
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      }),
    ),
    place: Type.Optional(PlaceSchema),
    reply_to: Type.Optional(Int64),
  },
  { title: 'SandboxReply' },
);

export const PressBody = Type.Object(
  {
    ...who,
    message: Int64,
    button: Type.Union(
      [Type.String({ minLength: 1, maxLength: 4096 }), Type.Integer({ minimum: 1 })],
      {
        description: 'The label or the value of the button, or its position from 1.',
      },
    ),
  },
  { title: 'SandboxPress' },
);

export const ReactionBody = Type.Object(
  { ...who, message: Int64, emoji: Type.String({ minLength: 1, maxLength: 64 }) },
  { title: 'SandboxReaction' },
);

export const MoveBody = Type.Object(who, { title: 'SandboxMove' });

export const BlockBody = Type.Object(
  {
    ...who,
    blocked: Type.Optional(Type.Boolean({ description: 'False ends the block.', default: true })),
  },
  { title: 'SandboxBlock' },
);

export const ReceiptBody = Type.Object(
  { message: Int64, state: Type.Enum([...RECEIPT_STATES]) },
  { title: 'SandboxReceipt' },
);

export const BehaviourBody = Type.Object(
  {
    behaviours: Type.Array(
      Type.Object({
        fault: FaultName,
        to: BehaviourSchema.properties.to,
        seconds: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 86_400, description: 'It ends after this time.' }),
        ),
        times: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_TIMES,
            description: 'It ends after this many messages; each attempt counts.',
          }),
        ),
      }),
      { maxItems: MAX_BEHAVIOURS },
    ),
  },
  { title: 'SandboxBehaviours' },
);
