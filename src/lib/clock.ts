/** Where the time comes from, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment: what it says grows steadily, whatever is done to the date. */
  elapsed(): number;
  /** Calls back once, after so many milliseconds, unless it is called off. It keeps no process alive. */
  after(milliseconds: number, call: () => void): CallOff;
}

export type CallOff = () => void;

/** The longest that a timer of Node waits. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, Math.min(milliseconds, LONGEST)).unref();
    return () => clearTimeout(timer);
  },
};
