import type { Id } from './id.ts';
import type { MessageState } from './message.ts';
import type { Millis } from './timestamp.ts';

/*
 * Message counts per integration, minute and hour, updated with each event. A query over any period sums a few rows,
 * regardless of the number of messages.
 */

/** `accepted` from applications, `received` from people; the others are message states. */
export const COUNTED = [
  'accepted',
  'sent',
  'delivered',
  'read',
  'failed',
  'uncertain',
  'canceled',
  'expired',
  'suppressed',
  'received',
] as const satisfies readonly (MessageState | 'accepted' | 'received')[];

export type CountedState = (typeof COUNTED)[number];

/** Upper bounds of the histogram of milliseconds from acceptance to sending. A last bucket is unbounded. */
export const LATENCY_BOUNDS = [
  5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000,
] as const;

/** Column names of the buckets; the last is unbounded. */
export const LATENCIES = [
  'latency0',
  'latency1',
  'latency2',
  'latency3',
  'latency4',
  'latency5',
  'latency6',
  'latency7',
  'latency8',
  'latency9',
  'latency10',
  'latency11',
  'latency12',
  'latency13',
  'latency14',
  'latency15',
] as const;

export type Latency = (typeof LATENCIES)[number];

export type Counts = Record<CountedState | Latency, number>;

export const STEPS = { minute: 60_000, hour: 3_600_000 } as const;

export type Step = keyof typeof STEPS;

/** Retention of the counts per minute. */
export const MINUTE_STATS_TTL_MS: Millis = 3 * 24 * STEPS.hour;

/** The counts of one integration in one step. */
export type Statistic = Counts & {
  applicationId: Id;
  step: Step;
  /** Start of the step. */
  at: Millis;
  integrationId: Id;
  channel: string;
  /** 1 for traffic of the sandbox, which no live figure includes. */
  sandbox: 0 | 1;
  /** When a message was last sent; 0 if never. */
  lastSentAt: Millis;
};

export const ALL_COUNTS: readonly (CountedState | Latency)[] = [...COUNTED, ...LATENCIES];

export function noCounts(): Counts {
  return Object.fromEntries(ALL_COUNTS.map((name) => [name, 0])) as Counts;
}

export function addCounts(to: Counts, from: Counts): void {
  for (const name of ALL_COUNTS) to[name] += from[name];
}

/** The bucket of a latency. */
export function latencyOf(duration: Millis): Latency {
  const index = LATENCY_BOUNDS.findIndex((bound) => duration <= bound);
  return LATENCIES[index === -1 ? LATENCY_BOUNDS.length : index] ?? 'latency15';
}

/**
 * The latency in milliseconds within which this share of messages was sent. Interpolates linearly within a bucket.
 * Undefined if none was sent.
 */
export function percentile(counts: Counts, share: number): Millis | undefined {
  const total = LATENCIES.reduce((sum, name) => sum + counts[name], 0);
  let left = total * share;
  for (const [i, name] of LATENCIES.entries()) {
    const count = counts[name];
    if (count > 0 && left <= count) {
      const low = LATENCY_BOUNDS[i - 1] ?? 0;
      const high = LATENCY_BOUNDS[i] ?? low;
      return Math.round(low + ((high - low) * left) / count);
    }
    left -= count;
  }
  return undefined;
}
