import assert from 'node:assert/strict';
import { it } from 'node:test';

import { inTurns } from './in-turns.ts';

it('other work gets its turn between items that take long', async () => {
  function* slow() {
    for (let i = 0; i < 3; i++) {
      const end = performance.now() + 20;
      while (performance.now() < end);
      yield i;
    }
  }
  const order: string[] = [];
  setImmediate(() => order.push('other work'));
  for await (const item of inTurns(slow())) order.push(`item ${item}`);
  assert.deepEqual(order, ['item 0', 'other work', 'item 1', 'item 2']);
});
