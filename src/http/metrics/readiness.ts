import { type Clock, systemClock } from '../../lib/runtime/clock.ts';
import type { Millis } from '../../model/timestamp.ts';
import { StoreUnavailable } from '../../store/faults.ts';

/** How long a readiness check waits for the store, in milliseconds. */
const CHECK_TIMEOUT_MS = 1_000;
/** A slow store counts as up for this long after its last answer, in milliseconds. */
const MAX_SILENCE_MS = 5_000;
const CHECK_INTERVAL_MS = 2_000;

/**
 * Whether load balancers should send requests here: not while the store is down or the service is stopping. A
 * store error counts at once. A slow store, such as one with all connections busy, counts as down only after a
 * while without an answer: a load balancer must neither drop a busy node nor wait for it.
 */
export class Readiness {
  readonly #ping: () => Promise<void>;
  readonly #clock: Clock;
  readonly #onAnswer: (after: Millis) => void;
  #running: Promise<void> | undefined;
  #answeredAt: Millis;
  #hasFailed = false;
  #isStopping = false;
  #cancel: (() => void) | undefined;

  /** `onAnswer` receives the duration of each successful check. */
  constructor(
    ping: () => Promise<void>,
    clock: Clock,
    onAnswer: (after: Millis) => void = () => {},
  ) {
    this.#ping = ping;
    this.#clock = clock;
    this.#onAnswer = onAnswer;
    // The service starts only after the store has answered and was migrated.
    this.#answeredAt = clock.elapsed();
  }

  /** Checks the store periodically. */
  start(): void {
    this.#cancel = this.#clock.after(CHECK_INTERVAL_MS, () => {
      void this.#checkStore().catch(() => {});
      this.start();
    });
  }

  /** Whether the store answered recently and reported no error since. */
  get isStoreUp(): boolean {
    return !this.#hasFailed && this.#clock.elapsed() - this.#answeredAt < MAX_SILENCE_MS;
  }

  stop(): void {
    this.#isStopping = true;
    this.#cancel?.();
  }

  /** Rejects while the node is not ready. */
  async check(): Promise<void> {
    if (this.#isStopping) throw new StoreUnavailable('the service is stopping');
    const { promise: timeout, resolve } = Promise.withResolvers<'late'>();
    const cancel = systemClock.after(CHECK_TIMEOUT_MS, () => resolve('late'));
    try {
      if ((await Promise.race([this.#checkStore(), timeout])) !== 'late') return;
      if (this.isStoreUp) return;
      throw new StoreUnavailable('the store has not answered for several seconds');
    } finally {
      cancel();
    }
  }

  /** Concurrent callers share one check. */
  #checkStore(): Promise<void> {
    this.#running ??= this.#pingStore().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }
  async #pingStore(): Promise<void> {
    const startedAt = this.#clock.elapsed();
    try {
      await this.#ping();
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
    this.#hasFailed = false;
    this.#answeredAt = this.#clock.elapsed();
    this.#onAnswer(this.#answeredAt - startedAt);
  }
}
