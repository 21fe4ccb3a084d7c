import assert from 'node:assert/strict';
import { it } from 'node:test';

import { yieldingBetween } from './yielding.ts';

it('other work runs between items that take long', async () => {
  function* slow() {
    for (let i = 0; i < 3; i++) {
      const end = performance.now() + 20;
      while (performance.now() < end);
      yield i;
    }
  }
  const order: string[] = [];
  setImmediate(() => order.push('other work'));
  for await (const item of yieldingBetween(slow())) order.push(`item ${item}`);
  assert.deepEqual(order, ['item 0', 'other work', 'item 1', 'item 2']);
});
