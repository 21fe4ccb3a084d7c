import Type, { type TSchema } from 'typebox';

import { timestamp } from '../../model/timestamp.ts';
import { MAX_TIMES, SANDBOX_FAULT_NAMES } from '../../sandbox/faults.ts';
import type { SandboxState } from '../../sandbox/sandbox-people.ts';
import { ENTRY_KINDS, type PhoneEntry, RECEIPT_STATES } from '../../sandbox/shown.ts';
import { Id, Timestamp } from '../openapi/schemas.ts';

/* What the phones of simulated people show. */

export const MediaKind = Type.Enum(['Image', 'Video', 'Audio', 'Document']);

export const PlaceSchema = Type.Object({
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
  name: Type.Optional(Type.String({ maxLength: 1000 })),
});

const yes = Type.Optional(Type.Literal(true));

const content = {
  title: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  runs: Type.Optional(
    Type.Array(
      Type.Object({
        text: Type.String(),
        bold: yes,
        italic: yes,
        strike: yes,
        code: yes,
        link: Type.Optional(Type.String()),
      }),
      { description: 'The text in pieces, if some of it is formatted.' },
    ),
  ),
  media: Type.Optional(
    Type.Array(
      Type.Object({
        type: MediaKind,
        url: Type.Optional(
          Type.String({
            description:
              'URL from which the vendor would fetch the file. The sandbox does not fetch it.',
          }),
        ),
        file: Type.Optional(
          Type.String({ description: 'The id for `GET /1/sandbox/{id}/files/{file}`.' }),
        ),
        name: Type.Optional(Type.String()),
        media_type: Type.Optional(Type.String()),
      }),
    ),
  ),
  place: Type.Optional(PlaceSchema),
  buttons: Type.Optional(
    Type.Array(
      Type.Object({
        label: Type.String(),
        value: Type.Optional(Type.String()),
        url: Type.Optional(Type.String()),
        quick: yes,
      }),
    ),
  ),
  labels: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Shown beside the text, such as the priority and the tags of a notification.',
    }),
  ),
  reply_to: Type.Optional(Type.String({ description: "The vendor's id of the quoted message." })),
  thread: Type.Optional(Type.String({ description: "The vendor's id of the thread." })),
  tracking: Type.Optional(
    Type.String({
      description: 'A value that the person does not see; the vendor returns it with an answer.',
    }),
  ),
} satisfies Record<string, TSchema>;

export const SandboxMessageSchema = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    with: Type.String({ description: 'The address of the person or room.' }),
    author: Type.Enum(['application', 'person']),
    channel_id: Type.String({ description: "The vendor's id, as in `channel_ids` of a message." }),
    kind: Type.Enum([...ENTRY_KINDS], {
      description: 'A message, or an action of a person, which `text` describes.',
    }),
    ...content,
    cards: Type.Optional(
      Type.Array(Type.Object(content), { description: 'Cards, shown side by side.' }),
    ),
    edited: yes,
    deleted: yes,
    status: Type.Optional(
      Type.Enum([...RECEIPT_STATES], { description: 'The last delivery report.' }),
    ),
    sender: Type.Optional(Type.String({ description: 'The name of the writer, in a room.' })),
  },
  { title: 'SandboxMessage' },
);

export const sandboxMessageView = (shown: PhoneEntry) => ({
  id: shown.number,
  created_at: timestamp(shown.createdAt),
  with: shown.person,
  author: shown.author,
  channel_id: shown.vendorId,
  ...shown.entry,
});

export const FaultName = Type.Enum([...SANDBOX_FAULT_NAMES], { title: 'SandboxFault' });

export const BehaviourSchema = Type.Object(
  {
    fault: FaultName,
    to: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'The address that it applies to; every address without one.',
      }),
    ),
    until: Type.Optional(Timestamp),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TIMES,
        description: 'How many more messages it applies to.',
      }),
    ),
  },
  { title: 'SandboxBehaviour' },
);

export const SandboxSchema = Type.Object(
  {
    people: Type.Array(
      Type.Object({
        address: Type.String({ description: 'The `to.id` of messages to them.' }),
        name: Type.String(),
        room: Type.Boolean(),
        only_in_rooms: Type.Boolean({
          description:
            'Whether the person can be reached in rooms only. By default, they act in the first room.',
        }),
        blocked: Type.Boolean({ description: 'Whether they have blocked the sender.' }),
      }),
    ),
    actions: Type.Array(Type.Enum([...ENTRY_KINDS]), {
      description: 'Actions of people that the vendor reports.',
    }),
    receipts: Type.Array(Type.Enum([...RECEIPT_STATES]), {
      description: 'The delivery reports that the vendor sends.',
    }),
    faults: Type.Array(
      Type.Object({
        name: FaultName,
        description: Type.String(),
        address: Type.Optional(
          Type.String({ description: 'A message to this address triggers the fault.' }),
        ),
        text: Type.Optional(
          Type.String({
            description:
              'On channels without addresses, a message with this text triggers the fault.',
          }),
        ),
      }),
    ),
    behaviours: Type.Array(BehaviourSchema, { description: 'Standing faults.' }),
  },
  { title: 'Sandbox' },
);

export const sandboxView = ({ people, faults, isMagicText, ...state }: SandboxState) => ({
  people: people.map(({ address, name, isRoom, isOnlyInRooms, isBlocked }) => ({
    address,
    name,
    room: isRoom,
    only_in_rooms: isOnlyInRooms,
    blocked: isBlocked,
  })),
  actions: state.actions,
  receipts: state.receipts,
  faults: faults.map(({ name, description, address }) => ({
    name,
    description,
    ...(isMagicText ? { text: address } : { address }),
  })),
  behaviours: state.behaviours.map(({ fault, to, until, times }) => ({
    fault,
    ...(to !== undefined && { to }),
    ...(until !== undefined && { until: timestamp(until) }),
    ...(times !== undefined && { times }),
  })),
});
