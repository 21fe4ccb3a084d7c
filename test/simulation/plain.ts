import type { NewMessage } from '../../src/model/message.ts';
import type { Accepted, GivenMessage } from './records.ts';
import { consentKeyOf } from './stops.ts';
import { instructionsFor } from './windows.ts';

/** A message with one integration, and the record of it. */
export function plainMessage(
  { recipient, text, delay = 0, template = 'none', category = null }: GivenMessage,
  place: Pick<NewMessage, 'applicationId' | 'integrationId' | 'createdAt'>,
  address = recipient,
): { message: NewMessage; record: Omit<Accepted, 'id' | 'place'> } {
  const { integrationId, createdAt } = place;
  const dueAt = delay === 0 ? undefined : createdAt + delay * 1000;
  const to = { recipient: address, consentKey: consentKeyOf(recipient), category };
  const activity = JSON.stringify({ type: 'Create', object: { type: 'Note', content: text } });
  const content = { activity, instructions: instructionsFor(template), objectId: null };
  const timed = { expiresAt: null, dueAt: dueAt ?? null };
  return {
    message: { ...place, ...to, ...content, type: 'Create', ...timed },
    record: {
      lane: `${integrationId} ${recipient}`,
      dueAt,
      isCanceled: false,
      wasResent: false,
      integrationId,
      recipient,
      template,
      category,
      text,
    },
  };
}
