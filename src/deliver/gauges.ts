import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { StoreTotals } from '../store/statistics/store-totals.ts';
import type { Store } from '../store/store.ts';

const INTERVAL_MS = 15_000;

/** Reads gauges from the store periodically. */
export class Gauges {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onTotals: (totals: StoreTotals) => void;
  #cancel: (() => void) | undefined;
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(store: Store, clock: Clock, log: Log, onTotals: (totals: StoreTotals) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#onTotals = onTotals;
  }

  start(): void {
    this.#cancel = this.#clock.after(INTERVAL_MS, () => {
      this.#running = this.#read().finally(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  async #read(): Promise<void> {
    try {
      this.#onTotals(await this.#store.totals.run(this.#clock.now()));
    } catch (error) {
      this.#log.warn({ err: error }, 'reading gauges from the store failed, retrying');
    }
  }
}
