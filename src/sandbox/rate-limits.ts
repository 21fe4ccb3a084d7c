import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Phone } from './phone.ts';
import type { Reply } from './wire/request.ts';

/** A rate limit of a vendor, with the numbers that it documents. */
export interface RateLimit {
  count: number;
  seconds: number;
  /** Whether it applies to each recipient or to all together. */
  per: 'account' | 'recipient';
  /** The recipients it applies to; all by default. */
  appliesTo?(to: string): boolean;
  /**
   * For vendors that allow bursts above the average rate: the largest burst. Without it, no period of `seconds` may
   * have more than `count`.
   */
  burst?: number;
  /** Starts again when the person writes or does something. */
  untilReply?: true;
  /** The default of a server, which operators change: Switchboard does not stay below it, but waits when refused. */
  isAdjustable?: true;
  /** The vendor's answer; that of the fault `limited` by default. */
  refuse?(seconds: number, now: Millis): Reply;
}

interface LimitedVendor {
  limits: readonly RateLimit[] | { none: string };
  refusals: { limited(seconds: number): Reply };
}

export function limitsOf({ limits }: Pick<LimitedVendor, 'limits'>): readonly RateLimit[] {
  return 'none' in limits ? [] : limits;
}

/** Messages that a node remembers; beyond them, it forgets those of the least recently used limits. */
const MAX_REMEMBERED = 100_000;

/** When the messages counted by a limit arrived; with bursts, only the time when the average is kept again. */
type Arrivals = Millis[];

/**
 * Enforces the rate limits of simulated vendors, so that a sandbox shows what sending too fast does. The counts are in
 * memory: only the owner of an integration sends for it.
 */
export class RateLimits {
  readonly #arrivals = new Map<string, Arrivals>();
  #remembered = 0;

  /** Counts a request if it is a message. Reads the recipient's last action from the phone if a limit depends on it. */
  async takeFrom(
    phone: Pick<Phone, 'now' | 'lastAction'>,
    id: Id,
    vendor: LimitedVendor,
    to: string | undefined,
  ): Promise<Reply | undefined> {
    if (to === undefined) return undefined;
    const endsWithReply = limitsOf(vendor).some(({ untilReply }) => untilReply);
    const lastAction = endsWithReply ? await phone.lastAction(to) : undefined;
    return this.take(id, vendor, to, phone.now(), lastAction);
  }

  /**
   * Counts a message. Returns the vendor's refusal instead if it exceeds a limit. `lastAction` is when the recipient
   * last wrote or did something.
   */
  take(
    id: Id,
    vendor: LimitedVendor,
    to: string,
    now: Millis,
    lastAction = Number.NEGATIVE_INFINITY,
  ): Reply | undefined {
    const limits = limitsOf(vendor).flatMap((limit, index) => {
      if (limit.appliesTo && !limit.appliesTo(to)) return [];
      const key = JSON.stringify([id, index, limit.per === 'recipient' ? to : '']);
      const since = limit.untilReply ? lastAction : Number.NEGATIVE_INFINITY;
      const arrivals = current(limit, this.#arrivals.get(key) ?? [], now, since);
      return [{ limit, key, arrivals }];
    });
    for (const { limit, arrivals } of limits) {
      const wait = waitOf(limit, arrivals, now);
      if (wait <= 0) continue;
      const seconds = Math.ceil(wait / 1000);
      return limit.refuse?.(seconds, now) ?? vendor.refusals.limited(seconds);
    }
    for (const { limit, key, arrivals } of limits) {
      this.#remember(key, counted(limit, arrivals, now));
    }
    return undefined;
  }

  #remember(key: string, arrivals: Arrivals): void {
    this.#remembered += arrivals.length - (this.#arrivals.get(key)?.length ?? 0);
    // The last ones used are the last of the map.
    this.#arrivals.delete(key);
    this.#arrivals.set(key, arrivals);
    for (const [oldest, { length }] of this.#arrivals) {
      if (this.#remembered <= MAX_REMEMBERED) return;
      this.#arrivals.delete(oldest);
      this.#remembered -= length;
    }
  }
}

/** The arrivals within the period of the limit, and after `since`. */
function current({ seconds }: RateLimit, arrivals: Arrivals, now: Millis, since: Millis): Arrivals {
  const start = Math.max(now - seconds * 1000, since);
  const first = arrivals.findIndex((at) => at > start);
  return first === -1 ? [] : arrivals.slice(first);
}

/** Milliseconds until the limit allows another message; at most 0 if it does now. */
function waitOf({ count, seconds, burst }: RateLimit, arrivals: Arrivals, now: Millis): number {
  const [first = now] = arrivals;
  if (burst === undefined) return arrivals.length < count ? 0 : first + seconds * 1000 - now;
  return first - now - ((burst - 1) * seconds * 1000) / count;
}

function counted({ count, seconds, burst }: RateLimit, arrivals: Arrivals, now: Millis): Arrivals {
  if (burst === undefined) return [...arrivals, now];
  return [Math.max(arrivals[0] ?? 0, now) + (seconds * 1000) / count];
}
