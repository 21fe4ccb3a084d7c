import type { ThreadRequest } from './protocol.ts';

/** The queue of requests to the database. */
export abstract class DbQueue {
  /** While a transaction has the database: resolves when the last queued one is done. */
  #held: Promise<void> | undefined;

  /** Sends a request immediately. Only for the holder of the database, or if there is none. */
  abstract send<Value>(request: ThreadRequest): Promise<Value>;

  abstract close(): Promise<void>;

  /**
   * Takes exclusive access for one transaction; everyone else waits until it is released. Requests sent earlier are
   * executed first.
   */
  async hold(): Promise<() => void> {
    const before = this.#held;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    await before;
    return () => {
      if (this.#held === promise) this.#held = undefined;
      resolve();
    };
  }

  /** Sends a single request as soon as no transaction has the database. */
  async once<Value>(request: ThreadRequest): Promise<Value> {
    if (!this.#held) return this.send<Value>(request);
    const release = await this.hold();
    // No need to wait for the response: later requests are behind it in the queue.
    const answer = this.send<Value>(request);
    release();
    return answer;
  }
}
