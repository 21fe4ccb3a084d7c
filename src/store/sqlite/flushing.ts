/**
 * Holds responses back until their commits are on disk. Flushes run in the background; commits made during a flush
 * share the next one.
 */
export class Flushing<Answer> {
  readonly #flush: () => Promise<void>;
  readonly #release: (answers: Answer[], fault: unknown) => void;
  #held: Answer[] = [];
  #running: Promise<void> | undefined;

  /** `release` gets the responses that a flush covers, with the error if it failed. */
  constructor(flush: () => Promise<void>, release: (answers: Answer[], fault: unknown) => void) {
    this.#flush = flush;
    this.#release = release;
  }

  /** Resolves once no response is held; undefined if none is held now. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Resolves once no response is held, or after the timeout. */
  async waitIdle(timeoutMs: number): Promise<void> {
    if (!this.#running) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    void this.#running.then(resolve);
    await promise;
    clearTimeout(timer);
  }

  hold(answer: Answer): void {
    this.#held.push(answer);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#held.length > 0) {
      const covered = this.#held;
      this.#held = [];
      let fault: unknown;
      try {
        await this.#flush();
      } catch (error) {
        fault = error;
      }
      this.#release(covered, fault);
    }
    this.#running = undefined;
  }
}
