/**
 * Combines loads into calls of up to `max` keys: those of one event loop turn, and those that arrive while a call is
 * in progress, so that a higher load makes calls larger instead of more frequent. A key missing from the result resolves to
 * undefined.
 */
export function batchLoad<Key, Value>(
  loadAll: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  max: number,
): (key: Key) => Promise<Value | undefined> {
  let waiting = new Map<Key, PromiseWithResolvers<Value | undefined>>();
  let inProgress = 0;
  const load = async (batch: typeof waiting): Promise<void> => {
    inProgress++;
    try {
      const found = await loadAll([...batch.keys()]);
      for (const [key, { resolve }] of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
    } finally {
      inProgress--;
      begin();
    }
  };
  const begin = () => {
    if (inProgress > 0 && waiting.size < max) return;
    const batch = waiting;
    waiting = new Map();
    if (batch.size > 0) void load(batch);
  };
  return (key) => {
    const pending = waiting.get(key);
    if (pending) return pending.promise;
    if (waiting.size === 0) setImmediate(begin);
    const one = Promise.withResolvers<Value | undefined>();
    waiting.set(key, one);
    if (waiting.size >= max) begin();
    return one.promise;
  };
}
