/**
 * Loads in one call what is asked for one by one within a turn of the event loop, up to `most` at a time. A key that is not
 * in the answer is undefined.
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
