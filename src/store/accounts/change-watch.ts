import type { Freshness } from '../../lib/runtime/cache.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import { type Id, NO_ID } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Store } from '../store.ts';
import { type Change, KEPT_CHANGES } from './changes.ts';

/** How often the log is read while caches are in use, and the maximum age of a cached answer. */
const READ_INTERVAL_MS = 300;
const MAX_AGE_MS = 900;
/** How long changes are read again: a transaction may commit after another with a higher number. */
const OVERLAP_MS = 5_000;

/** A cache that can drop entries by the resources they depend on. */
interface InvalidatableCache {
  drop(resources: ReadonlySet<Id> | 'all'): void;
}

/**
 * Follows the log of changes for the caches of this node. It reads only while caches are in use. While the log cannot be
 * read, no entry is current.
 */
export class ChangeWatch implements Freshness {
  readonly #store: Pick<Store, 'changes'>;
  readonly #clock: Clock;
  readonly #caches: InvalidatableCache[] = [];
  /** Start of the last successful read. */
  #readAt: Millis | undefined;
  #reading: Promise<void> | undefined;
  /** All changes up to here are processed. */
  #processedUpTo = 0;
  #seen = new Set<number>();
  /** Becomes `#processedUpTo` after OVERLAP_MS. */
  #candidate: { id: number; at: Millis } | undefined;

  constructor(store: Pick<Store, 'changes'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Registers an empty cache. */
  attach(cache: InvalidatableCache): void {
    this.#caches.push(cache);
  }

  get isCurrent(): boolean {
    const age = this.#readAt === undefined ? Infinity : this.#clock.elapsed() - this.#readAt;
    // If this fails, the first caller after MAX_AGE_MS refreshes again and gets the error.
    if (age >= READ_INTERVAL_MS && age < MAX_AGE_MS) this.refresh().catch(() => {});
    return age < MAX_AGE_MS;
  }

  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const startedAt = this.#clock.elapsed();
    this.#apply(await this.#store.changes.after(this.#processedUpTo), startedAt);
    this.#readAt = startedAt;
  }

  #apply(changes: readonly Change[], at: Millis): void {
    const newest = changes[0]?.id ?? this.#processedUpTo;
    if (this.#readAt === undefined) {
      // Transactions that are still open may have lower numbers than the newest.
      this.#processedUpTo = Math.max(0, newest - KEPT_CHANGES / 2);
    } else {
      const resources = changes.flatMap(({ id, resourceId }) =>
        this.#seen.has(id) ? [] : resourceId,
      );
      // Unread changes may have been pruned.
      const isBehind = newest - this.#processedUpTo > KEPT_CHANGES;
      const isAll = isBehind || resources.includes(NO_ID);
      if (isAll || resources.length > 0) this.#drop(isAll ? 'all' : new Set(resources));
    }
    this.#seen = new Set(changes.map(({ id }) => id));
    this.#candidate ??= { id: newest, at };
    if (at - this.#candidate.at < OVERLAP_MS) return;
    this.#processedUpTo = Math.max(this.#processedUpTo, this.#candidate.id);
    this.#candidate = { id: newest, at };
  }

  #drop(resources: ReadonlySet<Id> | 'all'): void {
    for (const cache of this.#caches) cache.drop(resources);
  }
}
