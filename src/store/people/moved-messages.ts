import { sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Message } from '../../model/message.ts';
import { readInstructions, writeInstructions } from '../../model/sending/instructions.ts';
import type { WaitingMessage } from '../../model/sending/lane-order.ts';
import type { AddressMove } from './rows.ts';

/** A message that is queued in a lane. */
export type Queued = Pick<Message, 'id' | 'sequence' | 'partsSent' | 'instructions' | 'route'>;

export const QUEUED = ['id', 'sequence', 'partsSent', 'instructions', 'route'] as const;

/** Messages that need no consent, such as deletions, still need none. */
export const keyOr = (column: unknown, key: string) =>
  sql<string | null>`case when ${column} is null then null else ${key} end`;

export const isToContact = ({ instructions }: Queued): boolean =>
  readInstructions(instructions).contact !== undefined;

/** Whether the move includes the message: all messages, or only those to these contacts. */
export function isOwn(
  { contactIds }: Pick<AddressMove, 'contactIds'>,
  { instructions }: Pick<Queued, 'instructions'>,
): boolean {
  if (contactIds === null) return true;
  const { contact } = readInstructions(instructions);
  return contact !== undefined && (JSON.parse(contactIds) as Id[]).includes(contact.contactId);
}

/** The instructions of a message to a contact, with the reason for its address. */
export function explained({ instructions }: Queued): string | null {
  const read = readInstructions(instructions);
  const { contact } = read;
  return writeInstructions({
    ...read,
    ...(contact && { contact: { ...contact, because: 'address_changed' } }),
  });
}

/** Marks messages as started: the one in flight, and partly sent ones at the front of the lane. */
export function started(messages: readonly Queued[], inFlight?: Queued): WaitingMessage[] {
  let isFront = true;
  return messages.map((one) => {
    const isStarted = one === inFlight || (isFront && one.partsSent > 0);
    isFront = isStarted;
    return { id: one.id, sequence: one.sequence, isStarted };
  });
}
