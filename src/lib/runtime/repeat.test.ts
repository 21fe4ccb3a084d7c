import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Clock } from './clock.ts';
import { repeat } from './repeat.ts';

it('repeats work after failures, until ended', async () => {
  const timers = new Set<() => void>();
  const clock: Clock = {
    now: () => 0,
    elapsed: () => 0,
    after(milliseconds, call) {
      assert.equal(milliseconds, 7);
      timers.add(call);
      return () => timers.delete(call);
    },
  };
  let times = 0;
  const work = async () => {
    await Promise.resolve();
    if (++times === 1) throw new Error('not today');
  };
  const again = repeat(work, 7, clock);
  for (const expected of [1, 2, 3]) {
    await new Promise(setImmediate);
    assert.equal(times, expected);
    assert.equal(timers.size, 1);
    for (const call of timers) {
      timers.delete(call);
      call();
    }
  }
  // `end` works both during a run and between runs.
  again.end();
  await new Promise(setImmediate);
  assert.equal(timers.size, 0);
  const another = repeat(work, 7, clock);
  await new Promise(setImmediate);
  another.end();
  assert.equal(timers.size, 0);
});
