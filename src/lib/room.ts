/** What somebody has taken of a room. */
export interface Share {
  /** Gives back all but so much of it. */
  shrink(to: number): void;
  /** Gives back what is left of it. */
  leave(): void;
}

/**
 * So many bytes are in memory at once, and no more: whoever asks for more than is free waits, and nobody who
 * asks later goes first.
 */
export class Room {
  readonly size: number;
  #free: number;
  readonly #waiting = new Set<{ bytes: number; enter(): void }>();

  constructor(size: number) {
    this.size = size;
    this.#free = size;
  }

  get free(): number {
    return this.#free;
  }

  /** Rejects with the signal's reason, and with a RangeError for more than there ever is. */
  async take(bytes: number, signal: AbortSignal): Promise<Share> {
    if (!(bytes <= this.size)) throw new RangeError(`there is no room for ${bytes} bytes`);
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one = { bytes, enter: resolve };
    const onAbort = () => {
      this.#waiting.delete(one);
      reject(signal.reason);
      this.#admit();
    };
    this.#waiting.add(one);
    signal.addEventListener('abort', onAbort);
    this.#admit();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    return this.#share(bytes);
  }

  #share(bytes: number): Share {
    let held = bytes;
    const shrink = (to: number) => {
      this.#free += Math.max(held - to, 0);
      held = Math.min(held, to);
      this.#admit();
    };
    return { shrink, leave: () => shrink(0) };
  }

  #admit(): void {
    for (const one of this.#waiting) {
      if (one.bytes > this.#free) return;
      this.#free -= one.bytes;
      this.#waiting.delete(one);
      one.enter();
    }
  }
}
