import type { Clock } from '../lib/clock.ts';
import type { Millis } from '../model/timestamp.ts';
import { StoreUnavailable } from '../store/faults.ts';

/** How long whoever asks waits for the store to answer, in milliseconds. */
const PATIENCE = 1_000;
/** How long ago the store may have answered last while it is slow to answer again. */
const RECENTLY = 5_000;
const ASKED_EVERY = 2_000;

/**
 * Whether requests should be sent here: not while the store is away, nor once a stop is under way. A store that says
 * that it is away counts at once. One that is slow, as it is when all its connections are busy, counts as away only
 * when it has not answered for a while: a load balancer must not take a node away for being busy, nor wait for it.
 */
export class Readiness {
  readonly #ping: () => Promise<void>;
  readonly #clock: Clock;
  readonly #answered: (after: Millis) => void;
  #asked: Promise<void> | undefined;
  #answeredAt: Millis;
  #isAway = false;
  #isStopping = false;
  #callOff: (() => void) | undefined;

  /** `answered` is told how long the store took, whenever it has answered. */
  constructor(
    ping: () => Promise<void>,
    clock: Clock,
    answered: (after: Millis) => void = () => {},
  ) {
    this.#ping = ping;
    this.#clock = clock;
    this.#answered = answered;
    // There is no service before the store has answered and was brought up to date.
    this.#answeredAt = clock.elapsed();
  }

  /** Asks from time to time, so that it is known when the store last answered. */
  start(): void {
    this.#callOff = this.#clock.after(ASKED_EVERY, () => {
      void this.#ask().catch(() => {});
      this.start();
    });
  }

  /** Whether the store has answered lately, and has not said since that it is away. */
  get isStoreUp(): boolean {
    return !this.#isAway && this.#clock.elapsed() - this.#answeredAt < RECENTLY;
  }

  stop(): void {
    this.#isStopping = true;
    this.#callOff?.();
  }

  /** Rejects when requests should go elsewhere. */
  async check(): Promise<void> {
    if (this.#isStopping) throw new StoreUnavailable('the service is stopping');
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), PATIENCE);
    try {
      if ((await Promise.race([this.#ask(), late])) !== 'late') return;
      if (this.#clock.elapsed() - this.#answeredAt < RECENTLY) return;
      throw new StoreUnavailable('the store has not answered for some seconds');
    } finally {
      clearTimeout(timer);
    }
  }

  /** However many want to know, the store is asked once. */
  #ask(): Promise<void> {
    this.#asked ??= this.#askNow().finally(() => {
      this.#asked = undefined;
    });
    return this.#asked;
  }
  async #askNow(): Promise<void> {
    const since = this.#clock.elapsed();
    try {
      await this.#ping();
    } catch (error) {
      this.#isAway = true;
      throw error;
    }
    this.#isAway = false;
    this.#answeredAt = this.#clock.elapsed();
    this.#answered(this.#answeredAt - since);
  }
}
