const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays after the first failure, the second, and so on. After the last, there are no more retries. */
const DELAYS_MS = [
  1 * SECOND_MS,
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  1 * HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
];

/** Maximum deviation, so that messages that failed together are not retried together. */
const JITTER_FRACTION = 0.2;

/**
 * Milliseconds to wait after this many failed attempts, or undefined after the last. `random` is from 0 up to, but
 * not including, 1.
 */
export function retryDelay(failures: number, random: number): number | undefined {
  const delay = DELAYS_MS[failures - 1];
  return delay && Math.round(delay * (1 + JITTER_FRACTION * (2 * random - 1)));
}

const MIN_LIMIT_MS = SECOND_MS;
const MAX_DEFAULT_LIMIT_MS = MINUTE_MS;
/** Longest pause of a lane or an integration, unless it waits for a person to act, such as to correct the credentials. */
export const MAX_LIMIT_MS = 24 * HOUR_MS;

/**
 * Milliseconds to pause for a rate limit: what the channel says, but at least a second. If it does not say, the pause
 * doubles with each repetition.
 */
export function limitDelay(seconds: number | undefined, repeats: number): number {
  if (seconds === undefined || Number.isNaN(seconds)) {
    return Math.min(MIN_LIMIT_MS * 2 ** Math.min(repeats, 10), MAX_DEFAULT_LIMIT_MS);
  }
  return Math.min(Math.max(Math.ceil(seconds * SECOND_MS), MIN_LIMIT_MS), MAX_LIMIT_MS);
}
