import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { StoreSurvey } from '../store/statistics/survey.ts';
import type { Store } from '../store/store.ts';

const INTERVAL_MS = 15_000;

/** Reads gauges from the store periodically. */
export class Gauges {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onSurvey: (survey: StoreSurvey) => void;
  #cancel: (() => void) | undefined;
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(store: Store, clock: Clock, log: Log, onSurvey: (survey: StoreSurvey) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#onSurvey = onSurvey;
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
      this.#onSurvey(await this.#store.survey.run(this.#clock.now()));
    } catch (error) {
      this.#log.warn({ err: error }, 'reading gauges from the store failed, retrying');
    }
  }
}
