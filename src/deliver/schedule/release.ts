import type { Clock } from '../../lib/runtime/clock.ts';
import type { Log } from '../../lib/telemetry/log.ts';
import type { Id } from '../../model/id.ts';
import type { Store } from '../../store/store.ts';

/** One index lookup each time, if nothing is due. */
const INTERVAL_MS = 1_000;
/** Messages per transaction. */
const BATCH_SIZE = 500;

export interface ReleaseOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** Called for each integration with released messages. */
  wake(integrationId: Id): void;
}

/** Moves scheduled messages to their lanes when they are due. Every delivering node does so, each with other messages. */
export class Release {
  readonly #options: ReleaseOptions;
  #running: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #isStopping = false;

  constructor(options: ReleaseOptions) {
    this.#options = options;
  }

  /** Whether messages are being released. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  start(): void {
    if (this.#isStopping) return;
    this.#running = this.#release().finally(() => {
      this.#running = undefined;
      if (!this.#isStopping) {
        this.#cancel = this.#options.clock.after(INTERVAL_MS, () => this.start());
      }
    });
  }

  async stop(): Promise<void> {
    this.abandon();
    await this.#running;
  }

  /** Stops without waiting for the current batch. */
  abandon(): void {
    this.#isStopping = true;
    this.#cancel?.();
  }

  /** Never rejects: the next run retries. */
  async #release(): Promise<void> {
    const { store, clock, log, wake } = this.#options;
    try {
      for (let count = BATCH_SIZE; count === BATCH_SIZE && !this.#isStopping;) {
        const released = await store.schedule.release(clock.now(), BATCH_SIZE);
        for (const id of new Set(released.map(({ integrationId }) => integrationId))) wake(id);
        count = released.length;
      }
    } catch (error) {
      log.warn({ err: error }, 'releasing scheduled messages failed, retrying');
    }
  }
}
