const MAX_BATCH = 100;

/** A bounded, ordered queue of items received over a connection. When full, it drops the oldest. */
export class Inbox<Item> {
  readonly #maxSize: number;
  readonly #measure: (item: Item) => number;
  /** By consecutive number, so that removing the oldest item is as cheap as appending. */
  readonly #items = new Map<number, Item>();
  #first = 0;
  #end = 0;
  #size = 0;
  #wake: (() => void) | undefined;

  constructor(maxSize: number, measure: (item: Item) => number) {
    this.#maxSize = maxSize;
    this.#measure = measure;
  }

  put(item: Item): void {
    this.#items.set(this.#end++, item);
    this.#size += this.#measure(item);
    while (this.#size > this.#maxSize && this.#items.size > 1) this.#drop();
    this.#wake?.();
  }

  /** Queues an item that may be dropped. Such items take at most half of the space. */
  offer(item: Item): void {
    if (this.#size + this.#measure(item) <= this.#maxSize / 2) this.put(item);
  }

  /**
   * Passes queued and new items to `deliver` in batches, until `over` settles and the queue is empty. If `deliver` fails,
   * the batch stays queued for the next call.
   */
  async drain(
    deliver: (items: readonly Item[]) => Promise<void>,
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
        const batchEnd = this.#first + batch.length;
        await deliver(batch);
        // `put` may have dropped some of the batch in the meantime.
        while (this.#first < batchEnd) this.#drop();
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
