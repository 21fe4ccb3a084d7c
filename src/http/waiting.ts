import type { Pace } from '../channels/channel.ts';
import type { Message } from '../model/message.ts';
import { type Millis, timestamp } from '../model/timestamp.ts';
import type { Circumstances } from '../store/lanes.ts';

export const WAITING_REASONS = [
  'disabled',
  'credentials',
  'unavailable',
  'order',
  'rate_limit',
  'processing',
  'retry',
] as const;

export interface Waiting {
  reason: (typeof WAITING_REASONS)[number];
  /** Null when it does not depend on time. */
  until: string | null;
  /** Whether `until` is computed from the queue rather than known. */
  estimated: boolean;
  detail: string;
}

/** Why a queued message is not being sent just now, in words; null when it is about to be. */
export function waitingOf(
  { detail }: Pick<Message, 'detail'>,
  { lane, pause, enabled, isBehind }: Circumstances,
  now: Millis,
): Waiting | null {
  const wait = (reason: Waiting['reason'], words: string, until: Millis | null = null) => ({
    reason,
    until: until === null ? null : timestamp(until),
    estimated: false,
    detail: words,
  });
  if (!enabled) {
    return wait(
      'disabled',
      'The integration or its application is disabled; the message goes out once both are enabled.',
    );
  }
  if (pause?.pausedReason === 'credentials') {
    const words = 'The channel refused the credentials of the integration; correct them.';
    return wait('credentials', words + said(pause.pausedDetail));
  }
  if (pause?.pausedReason === 'unavailable' && (pause.pausedUntil ?? 0) > now) {
    const words = 'The service cannot use the integration; its operator must act.';
    return wait('unavailable', words + said(pause.pausedDetail), pause.pausedUntil);
  }
  if (isBehind) return wait('order', 'Another message to the same recipient goes first.');
  if (pause?.pausedReason && pause.pausedUntil !== null && pause.pausedUntil > now) {
    const words = 'The channel limits how much the integration may send.';
    return wait('rate_limit', words + said(pause.pausedDetail), pause.pausedUntil);
  }
  if (!lane?.reason || lane.dueAt === null || lane.dueAt <= now) return null;
  if (lane.reason === 'processing') {
    const words = 'The channel is still at work on a file of the message; it is asked again.';
    return wait('processing', detail ? `${words} ${detail}.` : words, lane.dueAt);
  }
  const words =
    lane.reason === 'retry'
      ? 'The last try failed; it is tried again.'
      : 'The channel limits how much the recipient may be sent.';
  return wait(lane.reason, words + said(detail), lane.dueAt);
}

/** Recipients ahead are counted up to here; beyond it the estimate is a lower bound. */
export const MAX_COUNTED_AHEAD = 10_000;

/** A node starts a message that is due well within this; one that is due for longer waits for the rate. */
const OVERDUE_MS = 1000;

/**
 * Whether a message that is due waits for the rate of its channel, and until when about. The node that
 * sends keeps the budget in memory, so any other computes it from the declared rate and the queue: each
 * recipient whose turn is earlier sends one message first.
 */
export function paceWait(
  { count, seconds, burst }: NonNullable<Pace['integration']>,
  { ahead, dueAt, now }: { ahead: number; dueAt: Millis; now: Millis },
): Waiting | null {
  if (ahead < burst && now - dueAt < OVERDUE_MS) return null;
  const waitMs = ((ahead + 1) * seconds * 1000) / count;
  const more = ahead >= MAX_COUNTED_AHEAD ? 'at least ' : '';
  const rate = seconds === 1 ? `${count} messages a second` : `${count} messages in ${seconds} s`;
  return {
    reason: 'rate_limit',
    until: timestamp(Math.ceil((now + waitMs) / 1000) * 1000),
    estimated: true,
    detail: `The channel takes ${rate}; ${more}${ahead} are ahead of this one. The time is an estimate.`,
  };
}

const said = (text: string | null | undefined) => (text ? ` What went wrong: ${text}` : '');
