const MAX_BATCH = 100;

/** A bounded, ordered queue of items received over a connection. When full, it drops the oldest. */
export class Inbox<Item> {
  readonly #most: number;
  readonly #measure: (item: Item) => number;
  /** By consecutive number, so that removing the oldest item is as cheap as appending. */
  readonly #items = new Map<number, Item>();
  #first = 0;
  #end = 0;
  #size = 0;
  #wake: (() => void) | undefined;

  constructor(most: number, measure: (item: Item) => number) {
    this.#most = most;
    this.#measure = measure;
  }

  put(item: Item): void {
    this.#items.set(this.#end++, item);
    this.#size += this.#measure(item);
    while (this.#size > this.#most && this.#items.size > 1) this.#drop();
    this.#wake?.();
  }

  /** Puts what may be missed: it leaves half of the room to all else. */
  offer(item: Item): void {
    if (this.#size + this.#measure(item) <= this.#most / 2) this.put(item);
  }

  /**
   * Passes queued and new items to `hear` in batches, until `over` settles and the queue is empty. If `hear` fails,
   * the batch stays queued for the next call.
   */
  async tell(
    hear: (items: readonly Item[]) => Promise<void>,
    over: Promise<unknown>,
  ): Promise<void> {
    let isOver = false;
    const end = () => {
      isOver = true;
      this.#wake?.();
    };
    over.then(end, end);
    for (;;) {
      const batch = this.#items.values().take(MAX_BATCH).toArray();
      if (batch.length > 0) {
        const told = this.#first + batch.length;
        await hear(batch);
        // `put` may have dropped some of the batch in the meantime.
        while (this.#first < told) this.#drop();
      } else if (isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #drop(): void {
    const item = this.#items.get(this.#first);
    if (item !== undefined) this.#size -= this.#measure(item);
    this.#items.delete(this.#first++);
  }
}
