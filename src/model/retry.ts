const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long to wait after the first failure, the second, and so on; after the last, no more. */
const DELAYS = [
  1 * SECOND,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
];

/** How much earlier or later, as a share, so that what failed together is not tried again together. */
const JITTER = 0.2;

/**
 * How many milliseconds to wait after so many failed tries, or undefined when enough were made.
 * `random` is from 0 up to, not including, 1.
 */
export function retryDelay(failures: number, random: number): number | undefined {
  const delay = DELAYS[failures - 1];
  return delay && Math.round(delay * (1 + JITTER * (2 * random - 1)));
}

const SHORTEST_LIMIT = SECOND;
const LONGEST_UNSAID = MINUTE;
/** No lane and no integration pauses longer, unless until somebody corrects it. */
export const LONGEST_LIMIT = 24 * HOUR;

/**
 * How many milliseconds to keep to a limit: as long as the channel says, but a second at the least; if it
 * does not say, twice as long each time it repeats itself.
 */
export function limitDelay(seconds: number | undefined, repeats: number): number {
  if (seconds === undefined || Number.isNaN(seconds)) {
    return Math.min(SHORTEST_LIMIT * 2 ** Math.min(repeats, 10), LONGEST_UNSAID);
  }
  return Math.min(Math.max(Math.ceil(seconds * SECOND), SHORTEST_LIMIT), LONGEST_LIMIT);
}
