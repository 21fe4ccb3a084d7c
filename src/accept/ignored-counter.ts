import type { Ignored } from '../channels/inbound.ts';
import type { Cancel, Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import { type IgnoredReport, ignoredType } from '../model/ignored.ts';
import type { Store } from '../store/store.ts';
import type { Receiver } from './inbound-events.ts';

/** How long reports of one kind are counted in memory after one was stored. */
const WINDOW_MS = 5_000;
/** Kinds counted in memory; reports of further kinds are stored one by one. */
const MAX_WINDOWS = 10_000;

type Count = Omit<IgnoredReport, 'id' | 'createdAt'>;

interface Window extends Count {
  cancel: Cancel;
}

/**
 * Counts reports that produce no event. The first of a kind is stored before the vendor gets its response; later ones are
 * stored together when the window ends, so a flood costs one write in five seconds.
 */
export class IgnoredCounter {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #windows = new Map<string, Window>();

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Resolves once new kinds are on disk. */
  async count(receiver: Receiver, ignored: readonly Ignored[]): Promise<void> {
    const lastAt = this.#clock.now();
    const { id: integrationId, applicationId } = receiver;
    for (const { type: given, reason } of ignored) {
      const type = ignoredType(given);
      const key = `${integrationId} ${reason} ${type}`;
      const window = this.#windows.get(key);
      if (window) {
        window.count++;
        window.lastAt = lastAt;
        continue;
      }
      const one = { applicationId, integrationId, type, reason, count: 1, lastAt };
      // Opened first, so that reports that arrive during the write are counted in it.
      if (this.#windows.size < MAX_WINDOWS) this.#open(key, one);
      await this.#store.ignored.count(one);
    }
  }

  #open(key: string, one: Count): void {
    const cancel = this.#clock.after(WINDOW_MS, () => void this.#end(key));
    this.#windows.set(key, { ...one, count: 0, cancel });
  }

  /** Never rejects. A failed write is repeated with the next window. */
  async #end(key: string): Promise<void> {
    const window = this.#windows.get(key);
    if (!window || window.count === 0) {
      this.#windows.delete(key);
      return;
    }
    const { cancel: _, ...counted } = window;
    this.#open(key, counted);
    try {
      await this.#store.ignored.count(counted);
    } catch (error) {
      this.#log.warn({ err: error }, 'store unavailable, retrying ignored counts');
      const next = this.#windows.get(key);
      if (next) next.count += counted.count;
    }
  }

  async close(): Promise<void> {
    const open = [...this.#windows.values()];
    this.#windows.clear();
    for (const { cancel, ...counted } of open) {
      cancel();
      if (counted.count > 0) await this.#store.ignored.count(counted);
    }
  }
}
