/** How many go into one write. */
const MOST = 500;

/**
 * Lets requests that come while others are being written share the next write: `write` takes many and answers one result
 * for each.
 */
export function batched(write) {
  const waiting = [];
  let isWriting = false;
  const flush = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST);
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
      // With all that was read in the same turn of the event loop.
      setImmediate(() => void flush());
    });
}
