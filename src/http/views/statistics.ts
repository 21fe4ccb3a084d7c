import Type from 'typebox';

import {
  COUNTED,
  type CountedState,
  type Counts,
  MINUTE_STATS_TTL_MS,
  STEPS,
  addCounts,
  noCounts,
  percentile,
} from '../../model/statistics.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import type { Span } from '../../store/statistics/statistics.ts';
import { nullable } from '../openapi/schemas.ts';

/* Queries and views of message statistics. */

const DAY_MS = 24 * STEPS.hour;
const WIDTHS = { ...STEPS, day: DAY_MS } as const;

export const STEP_NAMES = ['minute', 'hour', 'day'] as const;
export type StepName = (typeof STEP_NAMES)[number];

/** Maximum number of steps in a response. */
export const MAX_STEPS = 1_500;

const Percentile = nullable(Type.Integer({ minimum: 0 }));

export const countFields = {
  ...(Object.fromEntries(COUNTED.map((name) => [name, Type.Integer({ minimum: 0 })])) as Record<
    CountedState,
    ReturnType<typeof Type.Integer>
  >),
  latency_ms: Type.Object(
    { p50: Percentile, p90: Percentile, p95: Percentile, p99: Percentile },
    {
      description:
        'Time from acceptance, or the scheduled time, to sent: p50, p90, p95 and p99; null when no message was sent.',
    },
  ),
};

export const CountsSchema = Type.Object(countFields, { title: 'Counts' });

export function countsView(counts: Counts, labels: Record<string, string | number> = {}) {
  const percentileOf = (part: number) => percentile(counts, part) ?? null;
  return {
    ...labels,
    ...(Object.fromEntries(COUNTED.map((name) => [name, counts[name]])) as Record<
      CountedState,
      number
    >),
    latency_ms: {
      p50: percentileOf(0.5),
      p90: percentileOf(0.9),
      p95: percentileOf(0.95),
      p99: percentileOf(0.99),
    },
  };
}

/** A time range in steps, with the row width that serves it. */
interface StepRange {
  span: Span;
  name: StepName;
  width: Millis;
}

/** Steps that cover the range; without a name, their width depends on the length and age of the range. */
export function stepsOf(
  from: Millis,
  to: Millis,
  requested: StepName | undefined,
  now: Millis,
): StepRange {
  const name = requested ?? defaultStep(from, to, now);
  const width = WIDTHS[name];
  const step = name === 'minute' ? 'minute' : 'hour';
  const start = name === 'minute' ? Math.max(from, now - MINUTE_STATS_TTL_MS) : from;
  const span = { step, from: floor(start, width), to: floor(to + width - 1, width) } as const;
  return { span, name, width };
}

function defaultStep(from: Millis, to: Millis, now: Millis): StepName {
  if (to - from <= 6 * STEPS.hour && from >= now - MINUTE_STATS_TTL_MS) return 'minute';
  return to - from <= 14 * DAY_MS ? 'hour' : 'day';
}

const floor = (moment: Millis, width: Millis) => moment - (moment % width);

/** Every step of the range, including empty ones. */
export function seriesView(
  rows: readonly { at: Millis; counts: Counts }[],
  { span, width }: StepRange,
) {
  const countsByTime = new Map(rows.map(({ at, counts }) => [at, counts]));
  const steps = [];
  for (let at = span.from; at < span.to; at += width) {
    steps.push(countsView(countsByTime.get(at) ?? NO_COUNTS, { at: timestamp(at) }));
  }
  return steps;
}

const NO_COUNTS = noCounts();

export function totalOf(parts: readonly Counts[]): Counts {
  const total = noCounts();
  for (const counts of parts) addCounts(total, counts);
  return total;
}
