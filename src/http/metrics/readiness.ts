import type { Clock } from '../../lib/runtime/clock.ts';
import type { Millis } from '../../model/timestamp.ts';
import { StoreUnavailable } from '../../store/faults.ts';

/** How long a readiness check waits for the store, in milliseconds. */
const CHECK_TIMEOUT_MS = 1_000;
/** A slow store counts as up for this long after its last answer, in milliseconds. */
const RECENTLY = 5_000;
const ASKED_EVERY = 2_000;

/**
 * Whether load balancers should send requests here: not while the store is down or the service is stopping. A
 * store error counts at once. A slow store, such as one with all connections busy, counts as down only after a
 * while without an answer: a load balancer must neither drop a busy node nor wait for it.
 */
export class Readiness {
  readonly #ping: () => Promise<void>;
  readonly #clock: Clock;
  readonly #answered: (after: Millis) => void;
  #requested: Promise<void> | undefined;
  #answeredAt: Millis;
  #isAway = false;
  #isStopping = false;
  #cancel: (() => void) | undefined;

  /** `answered` receives the duration of each successful check. */
  constructor(
    ping: () => Promise<void>,
    clock: Clock,
    answered: (after: Millis) => void = () => {},
  ) {
    this.#ping = ping;
    this.#clock = clock;
    this.#answered = answered;
    // The service starts only after the store has answered and was migrated.
    this.#answeredAt = clock.elapsed();
  }

  /** Checks the store periodically. */
  start(): void {
    this.#cancel = this.#clock.after(ASKED_EVERY, () => {
      void this.#ask().catch(() => {});
      this.start();
    });
  }

  /** Whether the store answered recently and reported no error since. */
  get isStoreUp(): boolean {
    return !this.#isAway && this.#clock.elapsed() - this.#answeredAt < RECENTLY;
  }

  stop(): void {
    this.#isStopping = true;
    this.#cancel?.();
  }

  /** Rejects while the node is not ready. */
  async check(): Promise<void> {
    if (this.#isStopping) throw new StoreUnavailable('the service is stopping');
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), CHECK_TIMEOUT_MS);
    try {
      if ((await Promise.race([this.#ask(), late])) !== 'late') return;
      if (this.#clock.elapsed() - this.#answeredAt < RECENTLY) return;
      throw new StoreUnavailable('the store has not answered for several seconds');
    } finally {
      clearTimeout(timer);
    }
  }

  /** Concurrent callers share one check. */
  #ask(): Promise<void> {
    this.#requested ??= this.#askNow().finally(() => {
      this.#requested = undefined;
    });
    return this.#requested;
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
