/** How much is told at once. */
const BITE = 100;

/**
 * What has come over a connection and is not told yet, in its order. It holds so many characters and no more:
 * when nobody takes them, the oldest go.
 */
export class Inbox<Item> {
  readonly #most: number;
  readonly #measure: (item: Item) => number;
  readonly #items: Item[] = [];
  #size = 0;
  #wake: (() => void) | undefined;

  constructor(most: number, measure: (item: Item) => number) {
    this.#most = most;
    this.#measure = measure;
  }

  put(item: Item): void {
    this.#items.push(item);
    this.#size += this.#measure(item);
    while (this.#size > this.#most && this.#items.length > 1) this.#drop(1);
    this.#wake?.();
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
      const bite = this.#items.slice(0, BITE);
      if (bite.length > 0) {
        await hear(bite);
        this.#forget(bite);
      } else if (isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Some of them may have gone by themselves in the meantime. */
  #forget(told: readonly Item[]): void {
    const last = told.findLastIndex((item) => item === this.#items[0]);
    if (last !== -1) this.#drop(told.length - last);
  }

  #drop(count: number): void {
    for (const item of this.#items.splice(0, count)) this.#size -= this.#measure(item);
  }
}
