import type { Clock } from '../lib/clock.ts';
import type { Millis } from '../model/timestamp.ts';

/** Less than this is what clocks do all the time, in milliseconds. */
const LEAST = 2_000;

/**
 * Notices that the date was set back: what is due at a moment that was still to come would otherwise be waited for
 * once more, by as much as it was set back. One that is set forward makes things due early, which does no harm.
 */
export class DateWatch {
  readonly #clock: Clock;
  #ahead: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#ahead = clock.now() - clock.elapsed();
  }

  /** By how much it was set back since that was last seen to; 0 when it was not. */
  setBackBy(): Millis {
    const ahead = this.#clock.now() - this.#clock.elapsed();
    this.#ahead = Math.max(this.#ahead, ahead);
    const by = Math.round(this.#ahead - ahead);
    return by < LEAST ? 0 : by;
  }

  /** So much of it is seen to. */
  seenTo(by: Millis): void {
    this.#ahead -= by;
  }
}
