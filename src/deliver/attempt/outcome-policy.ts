import type { Blame, Channel, Outcome } from '../../channels/channel.ts';
import type { Uncertain } from '../../model/application.ts';
import type { AttemptOutcome } from '../../model/attempt.ts';
import type { FaultName } from '../../model/fault.ts';
import type { MessageState } from '../../model/message.ts';
import { limitDelay, retryDelay } from '../../model/policies/retry.ts';
import { readInstructions } from '../../model/sending/instructions.ts';
import { CHANGED, dueBetweenRoutes } from '../../model/sending/message-route.ts';
import { appendPart } from '../../model/sending/sent-part.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { AttemptResult, ClaimedMessage } from '../../store/delivery/dispatch-round.ts';
import type { Pause } from '../../store/delivery/ownerships.ts';

/** Inputs of a decision other than the outcome. */
export interface Situation {
  message: Pick<ClaimedMessage, 'attempts' | 'partsSent' | 'channelIds'>;
  /** The number of parts of the message. */
  parts: number;
  /** The policy for a message that may have been sent. */
  uncertain: Uncertain;
  /** Whether the channel is idempotent: another attempt creates no duplicate. */
  idempotent: boolean;
  /** Set for a channel that retries a message forever while the next ones wait: the delay after each failure. */
  retryForever: Channel['retryForever'];
  /** The channel's minimum time between two messages to a recipient, in milliseconds. */
  spacing: number;
  /** Consecutive rate limits of the integration. */
  limits: number;
  now: Millis;
  random: number;
}

export interface Decision {
  outcome: AttemptOutcome;
  change: Pick<
    AttemptResult,
    | 'state'
    | 'failed'
    | 'partsSent'
    | 'channelIds'
    | 'reason'
    | 'detail'
    | 'dueAt'
    | 'waits'
    | 'releaseAt'
  >;
  /** Set if the whole integration must pause. */
  pause?: Pause;
}

/** Longer delays of a vendor are not respected: it may have meant milliseconds. */
const MAX_RETRY_SECONDS = 3600;

/** Decides what an outcome means for its message, its lane and its integration. */
export function decide(outcome: Outcome, situation: Situation): Decision {
  switch (outcome.outcome) {
    case 'sent':
      return sent(outcome, situation);
    case 'limited':
      return limited(outcome, situation);
    case 'transient':
      return transient(outcome, situation);
    case 'permanent':
      return permanent(outcome.blame, outcome.detail, situation);
  }
}

/** Requeues a claimed message of which nothing was sent. */
export function released({ message, now }: Pick<Situation, 'message' | 'now'>): Decision['change'] {
  return { ...unchanged(message), state: 'queued', failed: false, dueAt: now, waits: null };
}

/** The message must not be sent: its recipient does not accept it. */
export function suppressed({
  message,
  now,
}: Pick<Situation, 'message' | 'now'>): Decision['change'] {
  const change = { ...unchanged(message), state: 'suppressed', reason: 'suppressed' } as const;
  return { ...change, failed: false, dueAt: now, waits: null };
}

/** The message must not be sent now: it is deferred, or fails. */
export function duringQuietHours(
  { message, now }: Pick<Situation, 'message' | 'now'>,
  quiet: 'refused' | { until: Millis },
): Decision['change'] {
  const rest = { reason: 'quiet_hours', failed: false, dueAt: now, waits: null } as const;
  return quiet === 'refused'
    ? { ...unchanged(message), ...rest, state: 'failed' }
    : { ...unchanged(message), ...rest, state: 'scheduled', releaseAt: quiet.until };
}

/**
 * A message that failed on its current route leaves the lane. A release starts its next route, or settles the message if
 * there is none.
 */
export function leavingRoute(
  message: Pick<ClaimedMessage, 'route' | 'instructions' | 'dueAt' | 'createdAt'>,
  change: Decision['change'],
  now: Millis,
): Decision['change'] {
  const { route, instructions } = message;
  if ((route ?? null) === null) return change;
  const releaseAt = dueBetweenRoutes(message, now);
  // An update or deletion continues on the next route even after success.
  const isChange = readInstructions(instructions).changes !== undefined;
  if (isChange && change.state === 'sent') {
    return { ...change, state: 'scheduled', releaseAt, reason: CHANGED };
  }
  const hasEnded = change.state === 'failed' || change.state === 'suppressed';
  if (!hasEnded) return change;
  // A refusal in quiet hours too: they apply to the person on every route, so the release refuses the message, unless an
  // earlier route sent it.
  return { ...change, state: 'scheduled', releaseAt };
}

const unchanged = ({ partsSent, channelIds }: Situation['message']) => ({
  partsSent,
  channelIds,
  reason: null,
  detail: null,
});

function sent(
  { id, kept }: Extract<Outcome, { outcome: 'sent' }>,
  { message, parts, spacing, now }: Situation,
): Decision {
  const partsSent = message.partsSent + 1;
  const change = {
    state: partsSent < parts ? 'queued' : 'sent',
    failed: false,
    partsSent,
    channelIds:
      id === undefined
        ? message.channelIds
        : appendPart(message.channelIds, kept === undefined ? { id } : { id, kept }),
    reason: null,
    detail: null,
    dueAt: now + spacing,
    waits: spacing > 0 ? 'rate_limit' : null,
  } as const;
  return { outcome: 'sent', change };
}

/** A rate limit costs no attempt. */
function limited(
  { scope, seconds, detail }: Extract<Outcome, { outcome: 'limited' }>,
  { message, limits, now }: Situation,
): Decision {
  const until = now + limitDelay(seconds, limits);
  const wait = { ...unchanged(message), state: 'queued', failed: false, detail } as const;
  if (scope !== 'integration') {
    const waits = scope === 'recipient' ? 'rate_limit' : 'processing';
    return { outcome: 'limited', change: { ...wait, dueAt: until, waits } };
  }
  return {
    outcome: 'limited',
    change: { ...wait, dueAt: now, waits: null },
    pause: { reason: 'rate_limit', detail, until },
  };
}

function transient(
  { maybeSent, seconds = 0, detail, isNotDeduplicated }: Extract<Outcome, { outcome: 'transient' }>,
  situation: Situation,
): Decision {
  const { message, uncertain, idempotent, retryForever, now, random } = situation;
  const outcome =
    maybeSent && (!idempotent || isNotDeduplicated === true) ? 'uncertain' : 'transient';
  if (outcome === 'uncertain' && uncertain === 'hold') {
    return { outcome, change: ended('uncertain', 'uncertain', detail, situation) };
  }
  const delay = (retryForever ?? retryDelay)(message.attempts + 1, random);
  if (delay === undefined) {
    if (retryForever) return pausedUntilResumed(outcome, 'failing', detail, situation);
    return { outcome, change: ended('failed', 'gave_up', detail, situation) };
  }
  const change = {
    ...unchanged(message),
    state: 'queued',
    failed: true,
    reason: 'transient',
    detail,
    dueAt: now + Math.max(delay, Math.min(seconds, MAX_RETRY_SECONDS) * 1000),
    waits: 'retry',
  } as const;
  return { outcome, change };
}

function permanent(blame: Blame, detail: string, situation: Situation): Decision {
  if (situation.retryForever) return pausedUntilResumed('permanent', 'gone', detail, situation);
  if (blame === 'credentials') return refusedCredentials(detail, situation);
  return { outcome: 'permanent', change: ended('failed', blame, detail, situation) };
}

/** The message is not at fault: it costs no attempt, and goes first once the credentials are corrected. */
function refusedCredentials(detail: string, { message, spacing, now }: Situation): Decision {
  const change = {
    ...unchanged(message),
    state: 'queued',
    failed: false,
    reason: 'credentials',
    detail,
    dueAt: now + spacing,
    waits: spacing > 0 ? 'rate_limit' : null,
  } as const;
  return { outcome: 'permanent', change, pause: { reason: 'credentials', detail, until: null } };
}

/** Pauses the integration until a user resumes it. The message then goes first. */
function pausedUntilResumed(
  outcome: AttemptOutcome,
  reason: 'gone' | 'failing',
  detail: string,
  { message, now }: Situation,
): Decision {
  const change = {
    ...unchanged(message),
    state: 'queued',
    failed: true,
    reason: 'transient',
    detail,
    dueAt: now,
    waits: null,
  } as const;
  return { outcome, change, pause: { reason, detail, until: null } };
}

/** Settles the message; it is not retried. */
export function ended(
  state: MessageState,
  reason: FaultName,
  detail: string,
  { message, spacing, now }: Situation,
): Decision['change'] {
  const waits = spacing > 0 ? 'rate_limit' : null;
  return {
    ...unchanged(message),
    state,
    failed: true,
    reason,
    detail,
    dueAt: now + spacing,
    waits,
  };
}
