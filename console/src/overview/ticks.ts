/* Ticks of a vertical axis: round steps in the axis unit, with exact labels. */

export interface Ticks {
  /** From 0 to the end of the axis, evenly spaced. */
  values: number[];
  labels: string[];
}

const MAX_INTERVALS = 5;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Up to a day; beyond that, 1, 2 and 5 times powers of ten. */
const DURATION_STEPS_MS = [
  ...[1, 10, 100].flatMap((power) => [power, 2 * power, 5 * power]),
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
];

/** Each unit with the smallest fraction that a label may show: 0.1 s, but not 0.1 min. */
const UNITS = [
  { name: 'd', ms: DAY_MS, fractionMs: DAY_MS },
  { name: 'h', ms: HOUR_MS, fractionMs: HOUR_MS / 2 },
  { name: 'min', ms: MINUTE_MS, fractionMs: MINUTE_MS / 2 },
  { name: 's', ms: SECOND_MS, fractionMs: SECOND_MS / 10 },
];

/** Axis of durations from 0 to at least `maxMs`. */
export function durationTicks(maxMs: number): Ticks {
  const step =
    DURATION_STEPS_MS.find((each) => each * MAX_INTERVALS >= maxMs) ??
    decimalStep(maxMs / DAY_MS) * DAY_MS;
  const values = multiples(step, maxMs);
  const end = values.at(-1) ?? 0;
  // The largest unit in which all labels are exact.
  const unit = UNITS.find(({ ms, fractionMs }) => end >= ms && step % fractionMs === 0);
  const { name, ms } = unit ?? { name: 'ms', ms: 1 };
  return { values, labels: values.map((value) => (value === 0 ? '0' : `${value / ms} ${name}`)) };
}

/** Axis of counts from 0 to at least `max`. */
export function countTicks(max: number): Ticks {
  const values = multiples(decimalStep(max), max);
  return { values, labels: values.map((value) => value.toLocaleString('en-US')) };
}

/** The smallest step of a rate, in percent. */
const MIN_PERCENT_STEP = 0.001;

/** Axis of percentages from 0 to at least `max`, but not beyond 100. */
export function percentTicks(max: number): Ticks {
  const steps = Math.min(max, 100) / MIN_PERCENT_STEP;
  // Computed in whole steps, because decimal fractions are inexact.
  const values = multiples(decimalStep(steps), steps).map((each) => each * MIN_PERCENT_STEP);
  return {
    values,
    labels: values.map(
      (value) =>
        `${Number(value.toPrecision(12)).toLocaleString('en-US', { maximumFractionDigits: 3 })}%`,
    ),
  };
}

/** The smallest whole step of 1, 2 or 5 times a power of ten that reaches `max` in MAX_INTERVALS. */
function decimalStep(max: number): number {
  for (let power = 1; ; power *= 10) {
    for (const factor of [1, 2, 5]) {
      if (factor * power * MAX_INTERVALS >= max) return factor * power;
    }
  }
}

function multiples(step: number, max: number): number[] {
  const intervals = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: intervals + 1 }, (_, i) => i * step);
}
