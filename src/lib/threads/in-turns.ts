import { setImmediate as nextTurn } from 'node:timers/promises';

/** Other work of the process waits no longer than this. */
const MAX_TURN_MS = 10;

/** Returns a function to call between steps: a promise to wait for if other work of the process must get its turn. */
export function turns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < MAX_TURN_MS) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}

/** The items, between which other work of the process gets its turn. */
export async function* inTurns<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const turn = turns();
  for await (const item of items) {
    yield item;
    await turn();
  }
}
