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
  /** Called for each message that fails because of quiet hours. */
  refused(message: { applicationId: Id; integrationId: Id }): void;
  /** Called for each application with a new event. */
  feedChanged(applicationId: Id): void;
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
      for (let isFull = true; isFull && !this.#isStopping;) {
        const result = await store.schedule.release(clock.now(), BATCH_SIZE);
        const { released, deferred, refused } = result;
        for (const id of new Set(released.map(({ integrationId }) => integrationId))) wake(id);
        for (const message of refused) this.#options.refused(message);
        const changed = [...deferred, ...refused].map(({ applicationId }) => applicationId);
        for (const id of new Set(changed)) this.#options.feedChanged(id);
        ({ isFull } = result);
      }
    } catch (error) {
      log.warn({ err: error }, 'releasing scheduled messages failed, retrying');
    }
  }
}
