/**
 * Combines the loads requested in one event loop turn into calls of up to `most` keys. A key missing from the result
 * resolves to undefined.
 */
export function batchLoad<Key, Value>(
  loadAll: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  most: number,
): (key: Key) => Promise<Value | undefined> {
  let waiting = new Map<Key, PromiseWithResolvers<Value | undefined>>();
  const load = async (asked: typeof waiting): Promise<void> => {
    try {
      const found = await loadAll([...asked.keys()]);
      for (const [key, { resolve }] of asked) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of asked.values()) reject(error);
    }
  };
  const begin = () => {
    const asked = waiting;
    waiting = new Map();
    if (asked.size > 0) void load(asked);
  };
  return (key) => {
    const known = waiting.get(key);
    if (known) return known.promise;
    if (waiting.size === 0) setImmediate(begin);
    const one = Promise.withResolvers<Value | undefined>();
    waiting.set(key, one);
    if (waiting.size >= most) begin();
    return one.promise;
  };
}
