import type { Attempt, MessageDetail } from '../api/types.ts';
import { parseTime } from '../ui/parse-time.ts';

/* How long a message waited between its attempts, and for what. */

type WaitCause =
  | 'first_attempt'
  | 'rate_limit'
  | 'retry'
  | 'next_part'
  | 'next_route'
  | 'resend'
  | 'unknown';

export interface Wait {
  cause: WaitCause;
  millis: number;
  /** Number of the attempt that ended the wait. */
  before: number;
}

/** API times are whole seconds, so a shorter gap may be none. */
const MIN_WAIT_MS = 2_000;

const CAUSES: Record<Attempt['outcome'], WaitCause> = {
  sent: 'next_part',
  limited: 'rate_limit',
  transient: 'retry',
  permanent: 'resend',
  uncertain: 'resend',
};

/** Waits that ended in an attempt, in order. Older attempts may be missing; gaps around them have no known cause. */
export function waitsOf(
  { created_at, send_at: sendAt = created_at }: Pick<MessageDetail, 'created_at' | 'send_at'>,
  attempts: readonly Attempt[],
): Wait[] {
  const waits: Wait[] = [];
  // A scheduled message waits from its time on.
  let end = parseTime(sendAt);
  let last: Attempt | undefined;
  for (const attempt of attempts) {
    const start = parseTime(attempt.started_at);
    const isFirst = attempt.number === 1;
    const follows = last !== undefined && attempt.number === last.number + 1;
    const cause = isFirst ? 'first_attempt' : follows && last ? causeOf(last, attempt) : 'unknown';
    const millis = start - end;
    if (millis >= MIN_WAIT_MS) waits.push({ cause, millis, before: attempt.number });
    end = start + attempt.duration_ms;
    last = attempt;
  }
  return waits;
}

const causeOf = (last: Attempt, next: Attempt): WaitCause =>
  last.route === next.route ? CAUSES[last.outcome] : 'next_route';

/** The current wait in milliseconds: since the last attempt, or else since the message was accepted or due. */
export function currentWait(
  { created_at, send_at: sendAt = created_at }: Pick<MessageDetail, 'created_at' | 'send_at'>,
  attempts: readonly Attempt[],
  now: number,
): number {
  const last = attempts.at(-1);
  const since = last ? parseTime(last.started_at) + last.duration_ms : parseTime(sendAt);
  return Math.max(0, now - since);
}

/** The reason why the message waited, for people. `channel` is the title of the channel. */
export function causeText(cause: WaitCause, channel: string): string {
  return {
    first_attempt: 'for its turn',
    rate_limit: `for ${channel}'s rate limit`,
    retry: 'between attempts',
    next_part: 'before the next part',
    next_route: 'before the next route',
    resend: 'until it was resent',
    unknown: 'for earlier attempts',
  }[cause];
}

/** Total per cause, longest first. */
export function totalsOf(waits: readonly Wait[]): { cause: WaitCause; millis: number }[] {
  const totals = new Map<WaitCause, number>();
  for (const { cause, millis } of waits) totals.set(cause, (totals.get(cause) ?? 0) + millis);
  return [...totals]
    .map(([cause, millis]) => ({ cause, millis }))
    .toSorted((a, b) => b.millis - a.millis);
}
