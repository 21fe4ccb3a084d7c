import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import type { ReportedMessage } from '../store/messages/receipts.ts';
import type { Store } from '../store/store.ts';

const BATCH_SIZE = 200;

interface ReceiptStore {
  receipts: Pick<Store['receipts'], 'apply'>;
}

/** Applies delivery reports soon after both the report and the message are stored. */
export class Receipts {
  readonly #store: ReceiptStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #feedChanged: (applicationId: Id) => void;
  readonly #moved: (message: ReportedMessage) => void;
  #running: Promise<void> | undefined;
  #again = false;

  /** `feedChanged` is called for each application whose feed has new events, `moved` for each reported message. */
  constructor(
    store: ReceiptStore,
    clock: Clock,
    log: Log,
    feedChanged: (applicationId: Id) => void,
    moved: (message: ReportedMessage) => void,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#feedChanged = feedChanged;
    this.#moved = moved;
  }

  /** Call when a report arrived, or a message was sent that may already have one. */
  wake(): void {
    if (this.#running) this.#again = true;
    this.#running ??= this.apply()
      .catch((error: unknown) => {
        // The periodic check picks up the rest.
        this.#log.warn({ err: error }, 'delivery reports not applied, retrying');
      })
      .finally(() => {
        this.#running = undefined;
        if (this.#again) this.wake();
      });
  }

  async apply(): Promise<void> {
    this.#again = false;
    for (let seen = BATCH_SIZE; seen === BATCH_SIZE;) {
      const applied = await this.#store.receipts.apply(BATCH_SIZE, this.#clock.now());
      for (const message of applied.moved) this.#moved(message);
      for (const applicationId of new Set(applied.moved.map((message) => message.applicationId))) {
        this.#feedChanged(applicationId);
      }
      seen = applied.seen;
    }
  }

  async stop(): Promise<void> {
    // The end of a run may start another one.
    while (this.#running) await this.#running;
  }
}
