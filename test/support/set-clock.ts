import { type Clock, systemClock } from '../../src/lib/runtime/clock.ts';

/** The machine's clock, with a time that tests can set. */
export class SetClock implements Clock {
  #ahead: number;
  readonly elapsed = systemClock.elapsed;
  readonly after = systemClock.after;

  constructor(ahead: number) {
    this.#ahead = ahead;
  }

  readonly now = () => systemClock.now() + this.#ahead;

  set(by: number): void {
    this.#ahead += by;
  }
}
