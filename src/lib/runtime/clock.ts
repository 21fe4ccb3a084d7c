/** The source of time; tests replace it with a simulated clock. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds, unaffected by changes to the system clock. */
  elapsed(): number;
  /** Calls back once after this many milliseconds, unless canceled. Does not keep the process alive. */
  after(milliseconds: number, call: () => void): Cancel;
}

export type Cancel = () => void;

/** The longest delay that Node's timers accept. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, Math.min(milliseconds, MAX_TIMEOUT_MS)).unref();
    return () => clearTimeout(timer);
  },
};
