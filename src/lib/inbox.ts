/** How much is told at once. */
const BITE = 100;

/**
 * What has come over a connection and is not told yet, in its order. It holds so many characters and no more:
 * when nobody takes them, the oldest go.
 */
export class Inbox<Item> {
  readonly #most: number;
  readonly #measure: (item: Item) => number;
  /** By number, without a gap: the oldest goes as easily as the newest comes. */
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
   * Tells what is there and what comes, until it is over; what came before that is told as well. What could
   * not be told is still there for the next who asks.
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
      const bite = this.#items.values().take(BITE).toArray();
      if (bite.length > 0) {
        const told = this.#first + bite.length;
        await hear(bite);
        // Some of them may have gone by themselves in the meantime.
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
