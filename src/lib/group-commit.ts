/** More work waits than the store can take for now. */
export class Overloaded extends Error {
  override name = 'Overloaded';
}

export interface GroupCommitOptions<Item> {
  /** How much one commit takes at the most; an item that alone is more has one to itself. */
  perCommit: number;
  /** How much may wait; more is refused with Overloaded. */
  waiting: number;
  /** How many commits may be under way at once. */
  atOnce: number;
  /** How much an item is; 1 each where this is left out. */
  weigh?(item: Item): number;
  /**
   * Whether a commit failed because of what was in it. Its items are then committed one by one, so
   * that one that cannot be stored takes no other down with it.
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
 * Lets concurrent writers share a commit: what arrives while a commit is under way goes into the
 * next one together. The cost of making it durable is then paid once for all of them.
 */
export class GroupCommit<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>;
  readonly #limits: GroupCommitOptions<Item>;
  readonly #waiting: Entry<Item, Result>[] = [];
  #weightWaiting = 0;
  #underWay = 0;
  #scheduled = false;

  /** `commit` answers one result for each item, in order, and rejects when none was committed. */
  constructor(commit: (items: Item[]) => Promise<Result[]>, limits: GroupCommitOptions<Item>) {
    this.#commit = commit;
    this.#limits = limits;
  }

  submit(item: Item): Promise<Result> {
    const weight = this.#limits.weigh?.(item) ?? 1;
    if (this.#weightWaiting > 0 && this.#weightWaiting + weight > this.#limits.waiting) {
      return Promise.reject(new Overloaded('more is waiting to be stored than may wait'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, weight, resolve, reject });
      this.#weightWaiting += weight;
      this.#schedule();
    });
  }

  /** Waits until the end of the event loop's turn, so that requests read in one turn go together. */
  #schedule(): void {
    if (this.#scheduled || this.#underWay >= this.#limits.atOnce) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#waiting.length === 0 || this.#underWay >= this.#limits.atOnce) return;
    const entries = this.#take();
    this.#underWay++;
    void this.#settle(entries).then(() => {
      this.#underWay--;
      if (this.#waiting.length > 0) this.#schedule();
    });
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** The first of those who wait, as many as one commit takes. */
  #take(): Entry<Item, Result>[] {
    let weight = 0;
    let count = 0;
    for (const entry of this.#waiting) {
      if (count > 0 && weight + entry.weight > this.#limits.perCommit) break;
      weight += entry.weight;
      count++;
    }
    this.#weightWaiting -= weight;
    return this.#waiting.splice(0, count);
  }

  /** Never rejects: whatever happens is told to whoever waits for it. */
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
