import type { Submission } from '../store/engine.ts';

/** Weights: the characters of the activities plus a constant per message, which approximates memory and commit time. */
export const MAX_PER_COMMIT = 1024 * 1024;
export const MAX_WAITING = 64 * 1024 * 1024;
const MESSAGE_WEIGHT = 500;

export function weightOf({ messages }: Submission): number {
  return messages.reduce((sum, { activity }) => sum + MESSAGE_WEIGHT + activity.length, 0);
}
