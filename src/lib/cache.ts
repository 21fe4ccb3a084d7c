interface Entry<Value> {
  value: Value;
  loadedAt: number;
}

/** Fraction of `maxAge` after which a hit reloads the entry in the background. */
const RELOAD_AFTER_FRACTION = 2 / 3;

export interface CacheOptions {
  /** Milliseconds until an entry expires. */
  maxAge: number;
  /** When full, the cache evicts the entry with the oldest load. */
  maxEntries: number;
  now?: () => number;
}

/**
 * Caches loaded values for a short time. A hit late in an entry's life reloads it in the background, so frequent
 * callers never wait. Concurrent callers share one load. A load that started before `forget` is returned to its
 * callers but not cached, since it may have read the old value.
 */
export class Cache<Key, Value> {
  readonly #load: (key: Key) => Promise<Value>;
  readonly #maxAge: number;
  readonly #maxEntries: number;
  readonly #now: () => number;
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #loading = new Map<Key, Promise<Value>>();

  constructor(load: (key: Key) => Promise<Value>, options: CacheOptions) {
    this.#load = load;
    this.#maxAge = options.maxAge;
    this.#maxEntries = options.maxEntries;
    this.#now = options.now ?? (() => performance.now());
  }

  get(key: Key): Value | Promise<Value> {
    const entry = this.#entries.get(key);
    const age = entry ? this.#now() - entry.loadedAt : this.#maxAge;
    if (!entry || age >= this.#maxAge) return this.#loading.get(key) ?? this.#begin(key);
    // If this load fails, the first caller after expiry loads again and gets the error.
    if (age >= this.#maxAge * RELOAD_AFTER_FRACTION && !this.#loading.has(key))
      this.#begin(key).catch(() => {});
    return entry.value;
  }

  forget(key: Key): void {
    this.#entries.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#loading.clear();
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
    this.#entries.set(key, entry);
    if (this.#entries.size <= this.#maxEntries) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest as Key);
  }
}
