import type { Clock } from '../lib/runtime/clock.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';

const READ_INTERVAL_MS = 10_000;
/** Deviations below this may just be the round trip time of a reading. */
const TOLERANCE_MS = 50;

/**
 * The database's clock, shared by all nodes, so that a due time stored by one node means the same on every other.
 * Between readings it advances by the machine's monotonic clock, so setting the system clock has no effect.
 */
export class DatabaseClock implements Clock {
  readonly #base: Clock;
  readonly #readDatabase: () => Promise<Millis>;
  /** The database's time when the monotonic clock reads zero. */
  #origin: Millis;

  private constructor(base: Clock, readDatabase: () => Promise<Millis>) {
    this.#base = base;
    this.#readDatabase = readDatabase;
    this.#origin = base.now() - base.elapsed();
  }

  /** The database's clock if several nodes share it, otherwise `base`. */
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
    this.#base.after(READ_INTERVAL_MS, () => {
      // While the database is unreachable, the monotonic clock is good enough.
      void this.#read()
        .catch(() => {})
        .finally(() => this.#follow());
    });
  }

  async #read(): Promise<void> {
    const startedAt = this.#base.elapsed();
    const now = await this.#readDatabase();
    const roundTrip = this.#base.elapsed() - startedAt;
    const origin = now - (startedAt + roundTrip / 2);
    if (Math.abs(origin - this.#origin) > roundTrip / 2 + TOLERANCE_MS) this.#origin = origin;
  }
}
