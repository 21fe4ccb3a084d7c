/** Runs the tasks of each key one at a time, in order. */
export class KeyedQueue<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  run<Result>(key: Key, task: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const next = before
      .catch(() => {})
      .then(task)
      .finally(() => {
        if (this.#last.get(key) === next) this.#last.delete(key);
      });
    this.#last.set(key, next);
    return next;
  }
}
