import type { Clock } from '../lib/runtime/clock.ts';
import type { Millis } from '../model/timestamp.ts';

/** Smaller differences are ordinary clock drift. */
const MIN_STEP_MS = 2_000;

/**
 * Detects that the wall clock moved backwards. Without it, messages that are due in the future would wait longer by the
 * size of the step. A forward step makes messages due early, which is harmless.
 */
export class ClockWatch {
  readonly #clock: Clock;
  #ahead: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#ahead = clock.now() - clock.elapsed();
  }

  /** The size of the backward step that has not been handled yet; 0 if there is none. */
  backwardStep(): Millis {
    const ahead = this.#clock.now() - this.#clock.elapsed();
    this.#ahead = Math.max(this.#ahead, ahead);
    const by = Math.round(this.#ahead - ahead);
    return by < MIN_STEP_MS ? 0 : by;
  }

  /** Marks a step of this size as handled. */
  markHandled(by: Millis): void {
    this.#ahead -= by;
  }
}
