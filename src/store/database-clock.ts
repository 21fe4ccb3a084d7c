import type { Clock } from '../lib/clock.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';

const ASK_EVERY_MS = 10_000;
/** Less than this is how far an answer may be off by the time that it takes. */
const TOLERANCE_MS = 50;

/**
 * The time of the database, which all nodes share: what one node stores as due is due for every other, whatever the date of
 * its machine. Between two questions it goes on by the time that has elapsed, so a date that is set changes nothing.
 */
export class DatabaseClock implements Clock {
  readonly #base: Clock;
  readonly #ask: () => Promise<Millis>;
  /** What the database's clock says when none has elapsed here. */
  #origin: Millis;

  private constructor(base: Clock, ask: () => Promise<Millis>) {
    this.#base = base;
    this.#ask = ask;
    this.#origin = base.now() - base.elapsed();
  }

  /** The clock of the database, where it has one that several nodes share, and otherwise the one that is given. */
  static async open({ readClock }: Pick<Engine, 'readClock'>, base: Clock): Promise<Clock> {
    if (!readClock) return base;
    const clock = new DatabaseClock(base, readClock);
    await clock.#read();
    clock.#follow();
    return clock;
  }

  now(): Millis {
    return Math.floor(this.#base.elapsed() + this.#origin);
  }

  elapsed(): number {
    return this.#base.elapsed();
  }

  after(milliseconds: number, call: () => void): () => void {
    return this.#base.after(milliseconds, call);
  }

  #follow(): void {
    this.#base.after(ASK_EVERY_MS, () => {
      // While the database is away, the time that elapses is good enough.
      void this.#read()
        .catch(() => {})
        .finally(() => this.#follow());
    });
  }

  async #read(): Promise<void> {
    const asked = this.#base.elapsed();
    const now = await this.#ask();
    const took = this.#base.elapsed() - asked;
    const origin = now - (asked + took / 2);
    if (Math.abs(origin - this.#origin) > took / 2 + TOLERANCE_MS) this.#origin = origin;
  }
}
