import type { Cancel, Clock } from '../../src/lib/runtime/clock.ts';

interface Timer {
  at: number;
  call(): void;
}

/** A clock that stands still until a test advances it. */
export class TestClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();
  /** The services that use this clock: each resolves once its store has answered. */
  readonly stores = new Set<() => Promise<unknown>>();

  constructor(now = Date.UTC(2026, 10, 15)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(milliseconds: number, call: () => void): Cancel {
    const timer = { at: this.#now + milliseconds, call };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** When the next timer is due; undefined if there is none. */
  get next(): number | undefined {
    const times = [...this.#timers].map(({ at }) => at);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** Advances the time, and fires due timers in order at their times. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [first] = [...this.#timers].toSorted((a, b) => a.at - b.at);
      if (!first || first.at > end) break;
      this.#timers.delete(first);
      this.#now = Math.max(this.#now, first.at);
      first.call();
    }
    this.#now = end;
  }

  /** Advances the time once the stores have answered, so that on a busy machine no lease and no request ends meanwhile. */
  async advanceGently(milliseconds: number): Promise<void> {
    await Promise.allSettled([...this.stores].map((answers) => answers()));
    this.advance(milliseconds);
  }

  /** Advances the time in one jump, like a machine that was asleep: timers due by then fire once, at the new time. */
  leap(milliseconds: number): void {
    this.#now += milliseconds;
    const due = [...this.#timers].filter(({ at }) => at <= this.#now);
    for (const timer of due) this.#timers.delete(timer);
    for (const { call } of due) call();
  }
}
