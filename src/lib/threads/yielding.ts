import { setImmediate as eventLoopTurn } from 'node:timers/promises';

/** How long a loop may block the event loop. */
const MAX_BLOCKING_MS = 10;

/**
 * For loops that take long: call the returned function in each pass. When the loop has blocked the event loop for too
 * long, it returns a promise to await, which lets other work run.
 */
export function yielder(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < MAX_BLOCKING_MS) return undefined;
    return eventLoopTurn().then(() => {
      since = performance.now();
    });
  };
}

/** Returns the same items, and lets other work run between them. */
export async function* yieldingBetween<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const yieldIfDue = yielder();
  for await (const item of items) {
    yield item;
    await yieldIfDue();
  }
}
