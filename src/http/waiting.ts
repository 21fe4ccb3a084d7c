import type { Message } from '../model/message.ts';
import { type Millis, timestamp } from '../model/timestamp.ts';
import type { Circumstances } from '../store/lanes.ts';

export const WAITING_REASONS = [
  'disabled',
  'credentials',
  'order',
  'rate_limit',
  'processing',
  'retry',
] as const;

export interface Waiting {
  reason: (typeof WAITING_REASONS)[number];
  /** Null when it does not depend on time. */
  until: string | null;
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

const said = (text: string | null | undefined) => (text ? ` What went wrong: ${text}` : '');
