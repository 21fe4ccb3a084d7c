import type { Freshness } from '../lib/cache.ts';
import type { Clock } from '../lib/clock.ts';
import { type Id, NO_ID } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import { type Change, KEPT_CHANGES } from './changes.ts';
import type { Store } from './store.ts';

/** While caches are used, changes are read this often; an answer out of them is at most so old. */
const READ_EVERY_MS = 300;
const MAX_AGE_MS = 900;
/** For how long changes are read again, since a transaction may commit after another with a higher number. */
const OVERLAP_MS = 5_000;

/** What can drop what depends on some resources, or all of it. */
export interface Droppable {
  drop(resources: ReadonlySet<Id> | 'all'): void;
}

/**
 * Follows the log of changes for the caches of this node. Nothing is read while nobody asks. Where the log cannot be read
 * nothing counts as current.
 */
export class ChangeWatch implements Freshness {
  readonly #store: Pick<Store, 'changes'>;
  readonly #clock: Clock;
  readonly #caches: Droppable[] = [];
  /** When the last successful reading began. */
  #readAt: Millis | undefined;
  #reading: Promise<void> | undefined;
  /** Changes up to here are known for good, and those that were read since. */
  #knownTo = 0;
  #seen = new Set<number>();
  /** What becomes `#knownTo` once it has been seen for long enough. */
  #mark: { id: number; at: Millis } | undefined;

  constructor(store: Pick<Store, 'changes'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** This cache is told of changes from now on. It must be empty. */
  attach(cache: Droppable): void {
    this.#caches.push(cache);
  }

  get isCurrent(): boolean {
    const age = this.#readAt === undefined ? Infinity : this.#clock.elapsed() - this.#readAt;
    // Whoever asks when it is too old, if this fails, is told why.
    if (age >= READ_EVERY_MS && age < MAX_AGE_MS) this.refresh().catch(() => {});
    return age < MAX_AGE_MS;
  }

  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const began = this.#clock.elapsed();
    this.#take(await this.#store.changes.after(this.#knownTo), began);
    this.#readAt = began;
  }

  #take(changes: readonly Change[], at: Millis): void {
    const newest = changes[0]?.id ?? this.#knownTo;
    if (this.#readAt === undefined) {
      // What is still to be committed may have a lower number than the newest.
      this.#knownTo = Math.max(0, newest - KEPT_CHANGES / 2);
    } else {
      const resources = changes.flatMap(({ id, resourceId }) =>
        this.#seen.has(id) ? [] : resourceId,
      );
      // Some that it does not know may have been pruned.
      const isBehind = newest - this.#knownTo > KEPT_CHANGES;
      const isAll = isBehind || resources.includes(NO_ID);
      if (isAll || resources.length > 0) this.#drop(isAll ? 'all' : new Set(resources));
    }
    this.#seen = new Set(changes.map(({ id }) => id));
    this.#mark ??= { id: newest, at };
    if (at - this.#mark.at < OVERLAP_MS) return;
    this.#knownTo = Math.max(this.#knownTo, this.#mark.id);
    this.#mark = { id: newest, at };
  }

  #drop(resources: ReadonlySet<Id> | 'all'): void {
    for (const cache of this.#caches) cache.drop(resources);
  }
}
