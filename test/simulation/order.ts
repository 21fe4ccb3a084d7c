import type { Message } from '../../src/model/message.ts';
import type { World } from './world.ts';

/** Messages that were sent after one that joined their lane later. */
export function outOfOrder(
  { accepted, inboundEvents }: Pick<World, 'accepted' | 'inboundEvents'>,
  messages: readonly Message[],
): number[] {
  // Resent messages, those with routes and those that quiet hours defer join several lanes or one twice.
  const resent = new Set(
    accepted.flatMap(({ id, wasResent, lanes, category }) =>
      wasResent || lanes || category !== null ? [id] : [],
    ),
  );
  const sequences = new Map(
    messages.flatMap(({ id, sequence }) => (resent.has(id) ? [] : [[id, sequence] as const])),
  );
  const last = new Map<string, number>();
  return inboundEvents.flatMap(({ messageId, lane }) => {
    const sequence = sequences.get(messageId);
    const before = last.get(lane) ?? 0;
    if (sequence === undefined) return [];
    last.set(lane, Math.max(before, sequence));
    return sequence < before ? [messageId] : [];
  });
}
