import type { Message, NewMessage } from '../model/message.ts';
import type { AddressChoice } from '../model/people/address-choice.ts';
import { readInstructions } from '../model/sending/instructions.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';

/** Returned to the sender once a message is on disk. */
export type AcceptedMessage = Pick<
  Message,
  'id' | 'createdAt' | 'integrationId' | 'applicationId'
> & {
  state: AcceptedState;
  sendAt: Millis | null;
  /** The address that was chosen for a message to a contact. */
  contact?: (Pick<AddressChoice, 'contactId' | 'because'> & { to: string }) | undefined;
};

export const ACCEPTED_STATES = ['scheduled', 'queued', 'suppressed', 'failed'] as const;

/** `suppressed` and `failed` occur only in batches: a single such message is refused. */
export type AcceptedState = (typeof ACCEPTED_STATES)[number];

/** The address that was chosen for a message to a contact. */
export function acceptedContact(message: NewMessage): AcceptedMessage['contact'] {
  const { instructions = null, recipient: to } = message;
  const { contact } = readInstructions(instructions);
  return contact && { contactId: contact.contactId, because: contact.because, to };
}

/**
 * Settles suppressed and failed messages immediately, with their creation time: delivery would not send them either.
 */
export async function settleRefused(
  store: Store,
  messages: readonly AcceptedMessage[],
): Promise<void> {
  for (const [state, reason] of [
    ['suppressed', 'suppressed'],
    ['failed', 'quiet_hours'],
  ] as const) {
    const refused = messages.filter((message) => message.state === state);
    const [first] = refused;
    if (!first) continue;
    const ids = refused.map(({ id }) => id);
    await store.lanes.refuse(first.applicationId, ids, reason, first.createdAt);
  }
}
