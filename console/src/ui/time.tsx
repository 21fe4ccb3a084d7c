import { useSyncExternalStore } from 'react';

import { parseTime } from './parse-time.ts';

export { parseTime };

/* Relative times with the exact time as tooltip. One timer updates all of them. */

const UPDATE_INTERVAL_MS = 10_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, UPDATE_INTERVAL_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const exactFormat = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
});
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

export const formatExact = (millis: number): string => exactFormat.format(millis);

const STEPS: readonly [below: number, seconds: number, unit: string][] = [
  [60, 1, 's'],
  [3_600, 60, 'min'],
  [86_400, 3_600, 'h'],
  [7 * 86_400, 86_400, 'd'],
];

function formatRelative(millis: number, from = Date.now()): string {
  const seconds = Math.round((from - millis) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 10) return seconds >= 0 ? 'just now' : 'now';
  for (const [below, per, unit] of STEPS) {
    if (distance >= below) continue;
    const text = `${Math.floor(distance / per)} ${unit}`;
    return seconds > 0 ? `${text} ago` : `in ${text}`;
  }
  const sameYear = new Date(millis).getFullYear() === new Date(from).getFullYear();
  return (sameYear ? dayFormat : dateFormat).format(millis);
}

interface TimeProps {
  at: string | number;
  /** Shows the exact time instead of the relative one. */
  exact?: boolean;
  className?: string;
}

/** The current time, updated by the shared timer. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

export function Time({ at, exact: isExact, className }: TimeProps) {
  const current = useNow();
  const millis = typeof at === 'number' ? at : parseTime(at);
  if (!Number.isFinite(millis)) return <span className={className}>unknown</span>;
  const text = isExact ? formatExact(millis) : formatRelative(millis, current);
  return (
    <time
      dateTime={new Date(millis).toISOString()}
      title={formatExact(millis)}
      className={className}
    >
      {text}
    </time>
  );
}

/** One decimal below 10, so that 90 s is 1.5 min and not 2 min. */
const rounded = (value: number) => (value < 10 ? Number(value.toFixed(1)) : Math.round(value));

/** Examples: 480 ms, 1.2 s, 1.5 min. */
export function formatDuration(millis: number): string {
  if (millis < 1_000) return `${Math.round(millis)} ms`;
  if (millis < 60_000) return `${(millis / 1_000).toFixed(millis < 10_000 ? 1 : 0)} s`;
  if (millis < 3_600_000) return `${rounded(millis / 60_000)} min`;
  if (millis < 48 * 3_600_000) return `${rounded(millis / 3_600_000)} h`;
  return `${rounded(millis / 86_400_000)} d`;
}
