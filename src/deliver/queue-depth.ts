import { findChannel } from '../channels/index.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import { ENDPOINT } from '../model/integration.ts';
import type { Store } from '../store/store.ts';

const INTERVAL_MS = 15_000;
/** The pause after a batch, as a multiple of the time the batch took: counting uses a tenth of the store's time. */
const REST_FACTOR = 9;

/**
 * Counts queued messages periodically. Counting takes time in proportion to the queue, so it runs in batches with a
 * pause after each, which leaves the store to others.
 */
export class QueueDepth {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #report: (depths: ReadonlyMap<string, number>) => void;
  #cancel: (() => void) | undefined;
  #isStopped = false;
  #endRest: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    store: Store,
    clock: Clock,
    log: Log,
    report: (depths: ReadonlyMap<string, number>) => void,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#report = report;
  }

  start(): void {
    this.#cancel = this.#clock.after(INTERVAL_MS, () => {
      this.#running = this.count()
        .catch((error: unknown) =>
          this.#log.warn({ err: error }, 'counting the queue failed, retrying'),
        )
        .finally(() => {
          if (!this.#isStopped) this.start();
        });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    this.#endRest?.();
    await this.#running;
  }

  #rest(time: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endRest = resolve;
    this.#clock.after(time, resolve);
    return promise;
  }

  async count(): Promise<void> {
    const depths = new Map<string, number>();
    let began = this.#clock.elapsed();
    for await (const { counts, isLast } of this.#store.lanes.depths()) {
      if (this.#isStopped) return;
      for (const { channel, count } of counts) {
        const label = labelOf(channel);
        depths.set(label, (depths.get(label) ?? 0) + count);
      }
      if (!isLast) await this.#rest((this.#clock.elapsed() - began) * REST_FACTOR);
      began = this.#clock.elapsed();
    }
    this.#report(depths);
  }
}

/** Maps names that no channel has to `unknown`, which bounds the number of metric labels. */
function labelOf(name: string | null): string {
  if (name === ENDPOINT) return ENDPOINT;
  return (name !== null && findChannel(name)?.name) || 'unknown';
}
