interface Entry<Value> {
  value: Value;
  loadedAt: number;
}

/** Whether cached values are current. */
export interface Freshness {
  /** Whether the entries of all changes up to a moment ago were dropped. */
  readonly isCurrent: boolean;
  /** Drops the entries of all changes until now; rejects if the changes cannot be read. */
  refresh(): Promise<void>;
}

export interface CacheOptions<Key, Value> {
  freshness: Freshness;
  /** The ids whose change drops an entry. */
  dependsOn(key: Key, value: Value): readonly unknown[];
  /** When full, the cache evicts the least recently used entry. */
  maxEntries: number;
  /** Maximum age of an entry in milliseconds, even if no change was reported. */
  maxAgeMs: number;
  now?: () => number;
}

/**
 * Caches loaded values until they change. Concurrent callers share one load. A load that started before a drop is
 * returned to its callers but not cached, since it may have read the old value. Missing values are not cached.
 */
export class Cache<Key, Value> {
  readonly #load: (key: Key) => Promise<Value>;
  readonly #options: CacheOptions<Key, Value>;
  readonly #now: () => number;
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #loading = new Map<Key, Promise<Value>>();

  constructor(load: (key: Key) => Promise<Value>, options: CacheOptions<Key, Value>) {
    this.#load = load;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  get(key: Key): Value | Promise<Value> {
    const { freshness } = this.#options;
    if (freshness.isCurrent) return this.#find(key);
    return freshness.refresh().then(() => this.#find(key));
  }

  /** Drops all entries, or those that depend on any of these. */
  drop(changed: ReadonlySet<unknown> | 'all'): void {
    // The dependencies of loads in progress are not known yet.
    this.#loading.clear();
    if (changed === 'all') return this.#entries.clear();
    for (const [key, { value }] of this.#entries) {
      const isChanged = this.#options.dependsOn(key, value).some((one) => changed.has(one));
      if (isChanged) this.#entries.delete(key);
    }
  }

  #find(key: Key): Value | Promise<Value> {
    const entry = this.#entries.get(key);
    if (!entry || this.#now() - entry.loadedAt >= this.#options.maxAgeMs) {
      return this.#loading.get(key) ?? this.#begin(key);
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  #begin(key: Key): Promise<Value> {
    const loadedAt = this.#now();
    const loading = this.#load(key).then(
      (value) => {
        if (this.#loading.get(key) === loading) this.#keep(key, { value, loadedAt });
        return value;
      },
      (reason: unknown) => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
        throw reason;
      },
    );
    this.#loading.set(key, loading);
    return loading;
  }

  #keep(key: Key, entry: Entry<Value>): void {
    this.#loading.delete(key);
    this.#entries.delete(key);
    if (entry.value === undefined) return;
    this.#entries.set(key, entry);
    if (this.#entries.size <= this.#options.maxEntries) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest as Key);
  }
}
