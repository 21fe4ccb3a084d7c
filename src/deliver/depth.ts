import { findChannel } from '../channels/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { ENDPOINT } from '../store/integrations.ts';
import type { Store } from '../store/store.ts';

const EVERY = 15_000;
/** How much longer the pause after a bite is than the bite. */
const REST = 9;

/**
 * Counts what is queued, from time to time and in bites, since counting takes as long as the queue is; with a
 * rest after each, since others want the store too.
 */
export class DepthCounter {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #counted: (depths: ReadonlyMap<string, number>) => void;
  #callOff: (() => void) | undefined;
  #isStopped = false;
  #endRest: (() => void) | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(
    store: Store,
    clock: Clock,
    log: Log,
    counted: (depths: ReadonlyMap<string, number>) => void,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#counted = counted;
  }

  start(): void {
    this.#callOff = this.#clock.after(EVERY, () => {
      this.#underWay = this.count()
        .catch((error: unknown) => this.#log.warn({ err: error }, 'the queue could not be counted'))
        .finally(() => {
          if (!this.#isStopped) this.start();
        });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff?.();
    this.#endRest?.();
    await this.#underWay;
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
      for (const { name, count } of counts) {
        const channel = channelOf(name);
        depths.set(channel, (depths.get(channel) ?? 0) + count);
      }
      if (!isLast) await this.#rest((this.#clock.elapsed() - began) * REST);
      began = this.#clock.elapsed();
    }
    this.#counted(depths);
  }
}

/** Whatever is in the store, there are no more of them than there are channels. */
function channelOf(name: string | null): string {
  if (name === ENDPOINT) return ENDPOINT;
  return (name !== null && findChannel(name)?.name) || 'unknown';
}
