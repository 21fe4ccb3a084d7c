import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';

/** Interval of checks for events added by other nodes. */
const CHECK_INTERVAL_MS = 500;

interface Waiter {
  after: number;
  resolve(hasMore: boolean): void;
}

/** Notifies readers when the feed of an application grows on any node. */
export class Feed {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #waiters = new Map<Id, Set<Waiter>>();
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Called when this node added an event. */
  changed(applicationId: Id): void {
    const waiters = this.#waiters.get(applicationId);
    this.#waiters.delete(applicationId);
    for (const { resolve } of waiters ?? []) resolve(true);
  }

  /** Resolves to true when there is an event after the given one, or to false after the timeout. */
  async wait(
    applicationId: Id,
    after: number,
    timeoutMs: Millis,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { after, resolve };
    // Registered before the check, so that no addition is missed.
    const waiters = this.#waiters.get(applicationId) ?? new Set();
    this.#waiters.set(applicationId, waiters.add(waiter));
    const onTimeout = () => resolve(false);
    const cancel = this.#clock.after(timeoutMs, onTimeout);
    signal?.addEventListener('abort', onTimeout);
    this.#schedule();
    try {
      if (this.#isClosed || signal?.aborted) return false;
      if ((await this.#store.events.last(applicationId)) > after) return true;
      return await promise;
    } finally {
      cancel();
      signal?.removeEventListener('abort', onTimeout);
      this.#drop(applicationId, waiter);
    }
  }

  /** Releases all waiting readers. */
  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    for (const waiters of this.#waiters.values()) {
      for (const { resolve } of waiters) resolve(false);
    }
  }

  #drop(applicationId: Id, waiter: Waiter): void {
    const waiters = this.#waiters.get(applicationId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiters.delete(applicationId);
  }

  #schedule(): void {
    if (this.#cancel || this.#isClosed) return;
    this.#cancel = this.#clock.after(CHECK_INTERVAL_MS, () => {
      void this.#check().finally(() => {
        this.#cancel = undefined;
        if (this.#waiters.size > 0) this.#schedule();
      });
    });
  }

  async #check(): Promise<void> {
    try {
      const lasts = await this.#store.events.lastOfEach([...this.#waiters.keys()]);
      for (const [applicationId, last] of lasts) {
        for (const waiter of this.#waiters.get(applicationId) ?? []) {
          if (last > waiter.after) waiter.resolve(true);
        }
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'store unavailable, retrying feed check');
    }
  }
}
