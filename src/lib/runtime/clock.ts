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
    let turn: NodeJS.Immediate | undefined;
    // Node fires timers before it reads sockets. If the process had to wait for the processor, what arrived meanwhile
    // comes first: an answer that was in time must not count as missing.
    const fire = () => (turn = setImmediate(call));
    const timer = setTimeout(fire, Math.min(milliseconds, MAX_TIMEOUT_MS)).unref();
    return () => {
      clearTimeout(timer);
      clearImmediate(turn);
    };
  },
};
