import type { CallOff, Clock } from '../../src/lib/clock.ts';

interface Timer {
  at: number;
  call(): void;
}

/** A clock that stands still until a test turns it. */
export class TestClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(now = Date.UTC(2026, 10, 15)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(milliseconds: number, call: () => void): CallOff {
    const timer = { at: this.#now + milliseconds, call };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** When the next timer is due; undefined when there is none. */
  get next(): number | undefined {
    const times = [...this.#timers].map(({ at }) => at);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** Goes on by so many milliseconds, and calls what is due on the way, in order. */
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

  /** Goes on by so many milliseconds at once, as after a sleep: what is due by then is called once. */
  leap(milliseconds: number): void {
    this.#now += milliseconds;
    const due = [...this.#timers].filter(({ at }) => at <= this.#now);
    for (const timer of due) this.#timers.delete(timer);
    for (const { call } of due) call();
  }
}
