/** Where the time comes from, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
