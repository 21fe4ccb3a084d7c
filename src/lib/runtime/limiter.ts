interface Bucket {
  tokens: number;
  at: number;
}

/**
 * A token bucket per key: `rate` per second, up to `burst` at once. Full buckets carry no information and are
 * dropped, so memory depends on recent keys only.
 */
export class Limiter {
  readonly #rate: number;
  readonly #burst: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = 1024;

  constructor(rate: number, burst: number, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#burst = burst;
    this.#now = now;
  }

  /** Takes a token and returns 0, or returns the milliseconds until one is available. */
  take(key: string): number {
    const bucket = this.#refill(key);
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / this.#rate) * 1000);
    bucket.tokens -= 1;
    return 0;
  }

  /** Undoes one `take`. */
  giveBack(key: string): void {
    const bucket = this.#refill(key);
    bucket.tokens = Math.min(this.#burst, bucket.tokens + 1);
  }

  reset(key: string): void {
    this.#buckets.delete(key);
  }

  #refill(key: string): Bucket {
    const now = this.#now();
    const bucket = this.#buckets.get(key);
    if (bucket) {
      bucket.tokens = Math.min(
        this.#burst,
        bucket.tokens + ((now - bucket.at) / 1000) * this.#rate,
      );
      bucket.at = now;
      return bucket;
    }
    // Sweep before inserting: the new bucket is full and would be dropped.
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(now);
    const fresh = { tokens: this.#burst, at: now };
    this.#buckets.set(key, fresh);
    return fresh;
  }

  #sweep(now: number): void {
    for (const [key, { tokens, at }] of this.#buckets) {
      if (tokens + ((now - at) / 1000) * this.#rate >= this.#burst) this.#buckets.delete(key);
    }
    this.#sweepAt = Math.max(1024, this.#buckets.size * 2);
  }
}
