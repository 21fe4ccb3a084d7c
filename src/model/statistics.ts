import type { Id } from './id.ts';
import type { MessageState } from './message.ts';
import type { Millis } from './timestamp.ts';

/*
 * What is counted of messages: by integration, in steps of a minute and of an hour, as it happens. So what
 * happened in any time is a sum over a few rows, however many messages it was.
 */

/** `accepted` from applications, `received` from people; the rest are states that messages have come to. */
export const COUNTED = [
  'accepted',
  'sent',
  'delivered',
  'read',
  'failed',
  'uncertain',
  'canceled',
  'expired',
  'received',
] as const satisfies readonly (MessageState | 'accepted' | 'received')[];

export type Counted = (typeof COUNTED)[number];

/** How long after they were accepted messages were sent: up to so many milliseconds, or longer than all of these. */
export const LATENCY_BOUNDS = [
  5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000,
] as const;

/** What the counts of each are called, the last being that of those that took longer. */
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

export type Counts = Record<Counted | Latency, number>;

export const STEPS = { minute: 60_000, hour: 3_600_000 } as const;

export type Step = keyof typeof STEPS;

/** How long what was counted by the minute is kept, in milliseconds. */
export const MINUTES_KEPT: Millis = 3 * 24 * STEPS.hour;

/** What happened by one integration within one step of time. */
export type Statistic = Counts & {
  applicationId: Id;
  step: Step;
  /** When the step begins. */
  at: Millis;
  integrationId: Id;
  channel: string;
  /** When something was sent last; 0 when nothing was. */
  lastSentAt: Millis;
};

export const ALL_COUNTS: readonly (Counted | Latency)[] = [...COUNTED, ...LATENCIES];

export function noCounts(): Counts {
  return Object.fromEntries(ALL_COUNTS.map((name) => [name, 0])) as Counts;
}

export function addCounts(to: Counts, from: Counts): void {
  for (const name of ALL_COUNTS) to[name] += from[name];
}

/** Which count a time falls into. */
export function latencyOf(took: Millis): Latency {
  const index = LATENCY_BOUNDS.findIndex((bound) => took <= bound);
  return LATENCIES[index === -1 ? LATENCY_BOUNDS.length : index] ?? 'latency15';
}

/**
 * How long it took until this share of messages was sent, in milliseconds, as near as the counts tell: within one of
 * them, times are taken to be spread evenly. Undefined when none was sent.
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
