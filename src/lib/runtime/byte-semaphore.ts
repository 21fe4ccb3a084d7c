/** Bytes held by a caller of `take`. */
export interface Share {
  /** Releases all but `to` bytes. */
  shrink(to: number): void;
  /** Releases the rest. */
  release(): void;
}

/** A semaphore of bytes that limits memory use. Callers wait until enough is free, in the order of their calls. */
export class ByteSemaphore {
  readonly size: number;
  #free: number;
  readonly #waiting = new Set<{ bytes: number; grant(): void }>();

  constructor(size: number) {
    this.size = size;
    this.#free = size;
  }

  get free(): number {
    return this.#free;
  }

  /** Rejects with the signal's reason, and with a RangeError if more is requested than the total. */
  async take(bytes: number, signal: AbortSignal): Promise<Share> {
    if (!(bytes <= this.size))
      throw new RangeError(`${bytes} bytes exceed the limit of ${this.size}`);
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one = { bytes, grant: resolve };
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
    return { shrink, release: () => shrink(0) };
  }

  #admit(): void {
    for (const one of this.#waiting) {
      if (one.bytes > this.#free) return;
      this.#free -= one.bytes;
      this.#waiting.delete(one);
      one.grant();
    }
  }
}
