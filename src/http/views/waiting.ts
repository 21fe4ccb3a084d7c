import type { Pace } from '../../channels/channel.ts';
import type { Message } from '../../model/message.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import type { SendConditions } from '../../store/messages/lanes.ts';

export const WAITING_REASONS = [
  'schedule',
  'quiet_hours',
  'receipt',
  'disabled',
  'credentials',
  'unavailable',
  'order',
  'rate_limit',
  'processing',
  'retry',
] as const;

export interface WaitInfo {
  reason: (typeof WAITING_REASONS)[number];
  /** Null when it does not depend on time. */
  until: string | null;
  /** Whether `until` is computed from the queue rather than known. */
  estimated: boolean;
  detail: string;
}

/** The wait of a scheduled message. */
export function scheduleWait({ dueAt, reason }: Pick<Message, 'dueAt' | 'reason'>): WaitInfo {
  const isQuiet = reason === 'quiet_hours';
  return {
    reason: isQuiet ? 'quiet_hours' : 'schedule',
    until: dueAt === null ? null : timestamp(dueAt),
    estimated: false,
    detail: isQuiet
      ? 'The message waits for the end of the quiet hours. Change or cancel it until then.'
      : 'The message is scheduled. Change or cancel it until then.',
  };
}

/** Why a queued message is not being sent; null if it is about to be. */
export function waitingOf(
  { detail }: Pick<Message, 'detail'>,
  { lane, pause, enabled, isBehind }: SendConditions,
  now: Millis,
): WaitInfo | null {
  const wait = (reason: WaitInfo['reason'], text: string, until: Millis | null = null) => ({
    reason,
    until: until === null ? null : timestamp(until),
    estimated: false,
    detail: text,
  });
  if (!enabled) {
    return wait(
      'disabled',
      'The integration or its application is disabled. Enable both to send the message.',
    );
  }
  if (pause?.pausedReason === 'credentials') {
    const text = 'The channel refused the credentials of the integration. Correct them.';
    return wait('credentials', text + causeText(pause.pausedDetail));
  }
  if (pause?.pausedReason === 'unavailable' && (pause.pausedUntil ?? 0) > now) {
    const text = 'The service cannot use the integration. The operator must act.';
    return wait('unavailable', text + causeText(pause.pausedDetail), pause.pausedUntil);
  }
  const isHeld = lane?.reason === 'order' && (lane.dueAt ?? 0) > now;
  if (isBehind || isHeld)
    return wait('order', 'An earlier message to the same recipient goes first.');
  if (pause?.pausedReason && pause.pausedUntil !== null && pause.pausedUntil > now) {
    const text = 'The channel limits the rate of the integration.';
    return wait('rate_limit', text + causeText(pause.pausedDetail), pause.pausedUntil);
  }
  if (!lane?.reason || lane.reason === 'order' || lane.dueAt === null || lane.dueAt <= now)
    return null;
  if (lane.reason === 'processing') {
    const text =
      'The channel is processing a file of the message. The service checks again shortly.';
    return wait('processing', detail ? `${text} ${detail}.` : text, lane.dueAt);
  }
  const text =
    lane.reason === 'retry'
      ? 'The last attempt failed. The message is retried.'
      : 'The channel limits the rate for this recipient.';
  return wait(lane.reason, text + causeText(detail), lane.dueAt);
}

/** Recipients ahead are counted up to here; beyond it the estimate is a lower bound. */
export const MAX_COUNTED_AHEAD = 10_000;

/** A node starts due messages well within this time; one that is overdue waits for the rate limit. */
const OVERDUE_MS = 1000;

/**
 * Estimates whether a due message waits for the rate of its channel, and how long. The sending node keeps the
 * budget in memory, so other nodes compute it from the declared rate and the queue: each recipient ahead sends
 * one message first.
 */
export function paceWait(
  { count, seconds, burst }: NonNullable<Pace['integration']>,
  { ahead, dueAt, now }: { ahead: number; dueAt: Millis; now: Millis },
): WaitInfo | null {
  if (ahead < burst && now - dueAt < OVERDUE_MS) return null;
  const waitMs = ((ahead + 1) * seconds * 1000) / count;
  const more = ahead >= MAX_COUNTED_AHEAD ? 'at least ' : '';
  const rate =
    seconds === 1 ? `${count} messages per second` : `${count} messages per ${seconds} s`;
  return {
    reason: 'rate_limit',
    until: timestamp(Math.ceil((now + waitMs) / 1000) * 1000),
    estimated: true,
    detail: `The channel accepts ${rate}; ${more}${ahead} are ahead of this message. The time is an estimate.`,
  };
}

const causeText = (text: string | null | undefined) => (text ? ` Cause: ${text}` : '');
