import Type from 'typebox';

import {
  COUNTED,
  type Counted,
  type Counts,
  MINUTES_KEPT,
  STEPS,
  addCounts,
  noCounts,
  percentile,
} from '../model/statistics.ts';
import { type Millis, timestamp } from '../model/timestamp.ts';
import type { Span } from '../store/statistics.ts';
import { nullable } from './schemas.ts';

/* How what was counted is asked for, and shown. */

const DAY = 24 * STEPS.hour;
const WIDTHS = { ...STEPS, day: DAY } as const;

export const STEP_NAMES = ['minute', 'hour', 'day'] as const;
export type StepName = (typeof STEP_NAMES)[number];

/** How many steps are answered at the most. */
export const MOST_STEPS = 1_500;

const Percentile = nullable(Type.Integer({ minimum: 0 }));

/** The fields of whatever is counted. */
export const countFields = {
  ...(Object.fromEntries(COUNTED.map((name) => [name, Type.Integer({ minimum: 0 })])) as Record<
    Counted,
    ReturnType<typeof Type.Integer>
  >),
  latency_ms: Type.Object(
    { p50: Percentile, p90: Percentile, p99: Percentile },
    {
      description:
        'How long after they were accepted messages were sent, for half, nine in ten and 99 in a hundred of them; null where none was.',
    },
  ),
};

export const CountsSchema = Type.Object(countFields, { title: 'Counts' });

/** What was counted, with what it was counted of. */
export function countsView(counts: Counts, about: Record<string, string | number> = {}) {
  const share = (part: number) => percentile(counts, part) ?? null;
  return {
    ...about,
    ...(Object.fromEntries(COUNTED.map((name) => [name, counts[name]])) as Record<Counted, number>),
    latency_ms: { p50: share(0.5), p90: share(0.9), p99: share(0.99) },
  };
}

/** A time in steps of that width, by which rows it is told, and how wide a step is. */
export interface Asked {
  span: Span;
  name: StepName;
  width: Millis;
}

/** Steps that hold the whole time; where none are named, as many as a chart can show. */
export function stepsOf(from: Millis, to: Millis, named: StepName | undefined, now: Millis): Asked {
  const name = named ?? usual(from, to, now);
  const width = WIDTHS[name];
  const step = name === 'minute' ? 'minute' : 'hour';
  const kept = name === 'minute' ? Math.max(from, now - MINUTES_KEPT) : from;
  const span = { step, from: floor(kept, width), to: floor(to + width - 1, width) } as const;
  return { span, name, width };
}

function usual(from: Millis, to: Millis, now: Millis): StepName {
  if (to - from <= 6 * STEPS.hour && from >= now - MINUTES_KEPT) return 'minute';
  return to - from <= 14 * DAY ? 'hour' : 'day';
}

const floor = (moment: Millis, width: Millis) => moment - (moment % width);

/** Every step of the time, also those in which nothing happened. */
export function seriesView(
  found: readonly { at: Millis; counts: Counts }[],
  { span, width }: Asked,
) {
  const known = new Map(found.map(({ at, counts }) => [at, counts]));
  const steps = [];
  for (let at = span.from; at < span.to; at += width) {
    steps.push(countsView(known.get(at) ?? NOTHING, { at: timestamp(at) }));
  }
  return steps;
}

const NOTHING = noCounts();

export function totalOf(parts: readonly Counts[]): Counts {
  const total = noCounts();
  for (const counts of parts) addCounts(total, counts);
  return total;
}
