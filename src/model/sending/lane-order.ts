import type { Message } from '../message.ts';

/* The order of a lane into which the messages of another lane were moved. */

/** A queued message of the lane, or the one in flight. */
export type WaitingMessage = Pick<Message, 'id' | 'sequence'> & {
  /** Whether some of its parts are out, or are being sent: no other message may come between its parts. */
  isStarted: boolean;
};

/**
 * New sequences for messages that must change places, so that started ones come first, in the given order, and the
 * others follow in the order in which they joined their lanes. Only the sequences of these messages are used, so their
 * order relative to all other messages stays the same.
 */
export function reordered(messages: readonly WaitingMessage[]): Map<Message['id'], number> {
  const started = messages.filter(({ isStarted }) => isStarted);
  const last = Math.max(0, ...started.map(({ sequence }) => sequence));
  const earlier = messages
    .filter(({ isStarted, sequence }) => !isStarted && sequence < last)
    .toSorted((a, b) => a.sequence - b.sequence);
  const order = [...started, ...earlier];
  const sequences = order.map(({ sequence }) => sequence).toSorted((a, b) => a - b);
  return new Map(
    order.flatMap(({ id, sequence }, i) => {
      const next = sequences[i];
      return next === undefined || next === sequence ? [] : [[id, next] as const];
    }),
  );
}
