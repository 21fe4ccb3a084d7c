import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';

import { batchLoad } from './batch-load.ts';

function counting(most = 100) {
  const calls: number[][] = [];
  const load = batchLoad<number, string>(async (keys) => {
    calls.push([...keys]);
    if (keys.includes(13)) throw new Error('thirteen');
    return new Map(keys.filter((key) => key > 0).map((key) => [key, `value ${key}`]));
  }, most);
  return { calls, load };
}

it('loads of one turn are combined, each key once', async () => {
  const { calls, load } = counting();
  const found = await Promise.all([load(1), load(2), load(1), load(0)]);
  assert.deepEqual(found, ['value 1', 'value 2', 'value 1', undefined]);
  assert.deepEqual(calls, [[1, 2, 0]]);
  assert.equal(await load(1), 'value 1');
  assert.equal(calls.length, 2, 'results are not cached');
});

it('a batch holds no more keys than its limit', async () => {
  const { calls, load } = counting(2);
  await Promise.all([1, 2, 3, 4, 5].map(load));
  assert.deepEqual(calls, [[1, 2], [3, 4], [5]]);
});

it('a failed batch rejects its callers only', async () => {
  const { load } = counting();
  const [first, second] = await Promise.allSettled([load(1), load(13)]);
  assert.deepEqual([first.status, second.status], ['rejected', 'rejected']);
  assert.equal(await load(1), 'value 1');
});

it('keys that arrive while a call is in progress share the next one', async () => {
  const calls: number[][] = [];
  const ends: (() => void)[] = [];
  const load = batchLoad<number, number>(async (keys) => {
    calls.push([...keys]);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    await promise;
    return new Map(keys.map((key) => [key, key]));
  }, 100);
  const first = load(1);
  await immediate();
  const later = [load(2)];
  await immediate();
  later.push(load(3));
  await immediate();
  assert.deepEqual(calls, [[1]]);
  ends[0]?.();
  assert.equal(await first, 1);
  await immediate();
  assert.deepEqual(calls, [[1], [2, 3]]);
  ends[1]?.();
  assert.deepEqual(await Promise.all(later), [2, 3]);
});
