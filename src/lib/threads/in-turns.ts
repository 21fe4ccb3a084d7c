import { setImmediate as nextTurn } from 'node:timers/promises';

/** Other work of the process waits no longer than this. */
const MAX_TURN_MS = 10;

/** The items, between which other work of the process gets its turn. */
export async function* inTurns<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<Item> {
  let since = performance.now();
  for await (const item of items) {
    yield item;
    if (performance.now() - since < MAX_TURN_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}
