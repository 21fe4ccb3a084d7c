import type { Request } from './protocol.ts';

/** A line to the database, which takes requests in order. */
export abstract class Line {
  /** While a transaction has the database: resolves when the last one that waits for it is done. */
  #held: Promise<void> | undefined;

  /** Sends a request at once. Only for whoever holds the database, or when nobody does. */
  abstract send<Value>(request: Request): Promise<Value>;

  abstract close(): Promise<void>;

  /**
   * Takes the database for one transaction alone; everyone else waits until it is let go. What was sent
   * before is done before.
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

  /** Sends a request that stands alone, as soon as no transaction has the database. */
  async once<Value>(request: Request): Promise<Value> {
    if (!this.#held) return this.send<Value>(request);
    const release = await this.hold();
    // Sent is enough: whoever comes next is behind it in the line.
    const answer = this.send<Value>(request);
    release();
    return answer;
  }
}
