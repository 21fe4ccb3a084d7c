import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ByteSemaphore } from './byte-semaphore.ts';

const { signal } = new AbortController();

describe('byte semaphore', () => {
  it('grants free bytes at once and takes them back', async () => {
    const room = new ByteSemaphore(10);
    const one = await room.take(6, signal);
    const other = await room.take(4, signal);
    assert.equal(room.free, 0);
    one.release();
    one.release();
    assert.equal(room.free, 6);
    other.shrink(1);
    other.shrink(3);
    assert.equal(room.free, 9);
    other.release();
    assert.equal(room.free, 10);
  });

  it('grants in the order of the calls', async () => {
    const room = new ByteSemaphore(10);
    const order: string[] = [];
    const first = await room.take(8, signal);
    const large = room.take(9, signal).then((share) => {
      order.push('large');
      share.release();
    });
    const small = room.take(1, signal).then(() => order.push('small'));
    first.shrink(1);
    await large;
    await small;
    assert.deepEqual(order, ['large', 'small']);
  });

  it('skips canceled callers without blocking those behind them', async () => {
    const room = new ByteSemaphore(10);
    const controller = new AbortController();
    await room.take(8, signal);
    const large = room.take(9, controller.signal);
    const small = room.take(2, signal);
    controller.abort(new Error('enough'));
    await assert.rejects(large, { message: 'enough' });
    await small;
    assert.equal(room.free, 0);
    await assert.rejects(room.take(1, controller.signal), { message: 'enough' });
  });

  it('rejects a request larger than the total', async () => {
    await assert.rejects(new ByteSemaphore(10).take(11, signal), RangeError);
    await assert.rejects(new ByteSemaphore(10).take(Number.NaN, signal), RangeError);
  });
});
