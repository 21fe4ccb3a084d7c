/** The queue is full: the store is slower than the incoming work. */
export class Overloaded extends Error {
  override name = 'Overloaded';
}

export interface GroupCommitOptions<Item> {
  /** Maximum weight of one commit. A heavier item gets its own commit. */
  maxPerCommit: number;
  /** Maximum weight that may wait; beyond it, `submit` rejects with Overloaded. */
  maxWaiting: number;
  /** Maximum number of concurrent commits. */
  maxConcurrent: number;
  /** The weight of an item; 1 if omitted. */
  weigh?(item: Item): number;
  /**
   * Whether one of the items caused the commit to fail. The items are then committed one by one, so that a bad item
   * fails alone.
   */
  isPoisoned?(reason: unknown): boolean;
}

interface Entry<Item, Result> {
  item: Item;
  weight: number;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/**
 * Lets concurrent writers share commits: items that arrive during a commit go into the next one together, and pay for
 * one fsync between them.
 */
export class GroupCommit<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>;
  readonly #limits: GroupCommitOptions<Item>;
  readonly #waiting: Entry<Item, Result>[] = [];
  #weightWaiting = 0;
  #inProgress = 0;
  #scheduled = false;

  /** `commit` returns one result per item, in order; it rejects if nothing was committed. */
  constructor(commit: (items: Item[]) => Promise<Result[]>, limits: GroupCommitOptions<Item>) {
    this.#commit = commit;
    this.#limits = limits;
  }

  submit(item: Item): Promise<Result> {
    const weight = this.#limits.weigh?.(item) ?? 1;
    if (this.#weightWaiting > 0 && this.#weightWaiting + weight > this.#limits.maxWaiting) {
      return Promise.reject(new Overloaded('the queue is full'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, weight, resolve, reject });
      this.#weightWaiting += weight;
      this.#schedule();
    });
  }

  /** Waits for the end of the event loop turn, so that requests read in the same turn share a commit. */
  #schedule(): void {
    if (this.#scheduled || this.#inProgress >= this.#limits.maxConcurrent) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#waiting.length === 0 || this.#inProgress >= this.#limits.maxConcurrent) return;
    const entries = this.#take();
    this.#inProgress++;
    void this.#settle(entries).then(() => {
      this.#inProgress--;
      if (this.#waiting.length > 0) this.#schedule();
    });
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** Removes the oldest waiting items, up to the weight of one commit. */
  #take(): Entry<Item, Result>[] {
    let weight = 0;
    let count = 0;
    for (const entry of this.#waiting) {
      if (count > 0 && weight + entry.weight > this.#limits.maxPerCommit) break;
      weight += entry.weight;
      count++;
    }
    this.#weightWaiting -= weight;
    return this.#waiting.splice(0, count);
  }

  /** Never rejects: the submitters of the items get the result or the error. */
  async #settle(entries: Entry<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#commit(entries.map((entry) => entry.item));
      entries.forEach((entry, i) => entry.resolve(results[i] as Result));
    } catch (reason) {
      if (entries.length > 1 && this.#limits.isPoisoned?.(reason)) {
        for (const entry of entries) await this.#settle([entry]);
      } else {
        for (const entry of entries) entry.reject(reason);
      }
    }
  }
}
