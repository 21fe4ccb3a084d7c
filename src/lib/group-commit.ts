/** More work waits than the store can take for now. */
export class Overloaded extends Error {
  override name = 'Overloaded';
}

export interface GroupCommitLimits {
  /** How many items one commit takes at the most. */
  perCommit: number;
  /** How many items may wait; one more is refused with Overloaded. */
  waiting: number;
  /** How many commits may be under way at once. */
  atOnce: number;
}

interface Entry<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/**
 * Lets concurrent writers share a commit: what arrives while a commit is under way goes into the
 * next one together. The cost of making it durable is then paid once for all of them.
 */
export class GroupCommit<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>;
  readonly #limits: GroupCommitLimits;
  readonly #waiting: Entry<Item, Result>[] = [];
  #underWay = 0;
  #scheduled = false;

  /** `commit` answers one result for each item, in order, and rejects when none was committed. */
  constructor(commit: (items: Item[]) => Promise<Result[]>, limits: GroupCommitLimits) {
    this.#commit = commit;
    this.#limits = limits;
  }

  submit(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.#limits.waiting) {
      return Promise.reject(new Overloaded(`${this.#limits.waiting} writes are waiting already`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
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
    const entries = this.#waiting.splice(0, this.#limits.perCommit);
    this.#underWay++;
    this.#commit(entries.map((entry) => entry.item))
      .then(
        (results) => entries.forEach((entry, i) => entry.resolve(results[i] as Result)),
        (reason: unknown) => entries.forEach((entry) => entry.reject(reason)),
      )
      .finally(() => {
        this.#underWay--;
        if (this.#waiting.length > 0) this.#schedule();
      });
  }
}
