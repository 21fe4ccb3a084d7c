const MAX_BATCH = 500;

/**
 * Lets requests that arrive during a write share the next one. `write` takes an array and returns one result for each
 * item.
 */
export function batched(write) {
  const waiting = [];
  let isWriting = false;
  const flush = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
      try {
        const results = await write(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, i) => resolve(results[i]));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isWriting = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isWriting) return;
      isWriting = true;
      // Together with all requests read in the same turn of the event loop.
      setImmediate(() => void flush());
    });
}
