/**
 * Holds answers back until what they tell of is on disk. Flushes run beside the work: what is committed while
 * one is under way goes with the next, all together.
 */
export class Flushing<Answer> {
  readonly #flush: () => Promise<void>;
  readonly #release: (answers: Answer[], fault: unknown) => void;
  #held: Answer[] = [];
  #running: Promise<void> | undefined;

  /** `release` is given the answers that a flush was for, with what went wrong when it failed. */
  constructor(flush: () => Promise<void>, release: (answers: Answer[], fault: unknown) => void) {
    this.#flush = flush;
    this.#release = release;
  }

  /** Resolves when nothing is held; undefined when that is so already. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Resolves when nothing is held, but after so many milliseconds at the latest. */
  async atRest(most: number): Promise<void> {
    if (!this.#running) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, most);
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
