interface Entry<Value> {
  value: Value;
  loadedAt: number;
}

/** From which part of its age on an entry is loaded anew while it is still used. */
const STALE = 2 / 3;

export interface CacheOptions {
  /** How old an entry may be, in milliseconds, before it is loaded anew. */
  maxAge: number;
  /** How many entries are kept; the ones loaded longest ago go first. */
  maxEntries: number;
  now?: () => number;
}

/**
 * Keeps what was loaded for a short while. What is still asked for when most of that is over is loaded anew
 * meanwhile, so that whoever asks often never waits. Concurrent callers share one load, and a load that began
 * before `forget` was called is answered but not kept, since it may have read the old value.
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
    // Who asks when it is too old, if loading fails now, is told why.
    if (age >= this.#maxAge * STALE && !this.#loading.has(key)) this.#begin(key).catch(() => {});
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
