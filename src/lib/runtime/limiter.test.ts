import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import { Limiter } from './limiter.ts';

function createLimiter(rate: number, burst: number) {
  const clock = { now: 1_000_000 };
  return { clock, limiter: new Limiter(rate, burst, () => clock.now) };
}

describe('limiter', () => {
  it('allows a burst, then returns the wait', () => {
    const { limiter } = createLimiter(4, 3);
    assert.deepEqual(
      Array.from({ length: 5 }, () => limiter.take('a')),
      [0, 0, 0, 250, 250],
    );
  });

  it('allows the next after exactly the returned wait', () => {
    const { limiter, clock } = createLimiter(3, 1);
    limiter.take('a');
    const wait = limiter.take('a');
    assert.equal(wait, 334);
    clock.now += wait - 1;
    assert.ok(limiter.take('a') > 0);
    clock.now += 1;
    assert.equal(limiter.take('a'), 0);
  });

  it('counts each key separately', () => {
    const { limiter } = createLimiter(1, 1);
    assert.equal(limiter.take('a'), 0);
    assert.equal(limiter.take('b'), 0);
    assert.ok(limiter.take('a') > 0);
    assert.ok(limiter.take('b') > 0);
  });

  it('accumulates no more than a burst', () => {
    const { limiter, clock } = createLimiter(10, 2);
    limiter.take('a');
    clock.now += 60_000;
    const waits = Array.from({ length: 3 }, () => limiter.take('a'));
    assert.deepEqual(waits, [0, 0, 100]);
  });

  it('returns tokens, up to a burst', () => {
    const { limiter } = createLimiter(1, 1);
    assert.equal(limiter.take('a'), 0);
    limiter.giveBack('a');
    assert.equal(limiter.take('a'), 0);
    assert.equal(limiter.take('a'), 1000);
    limiter.giveBack('b');
    limiter.giveBack('b');
    assert.deepEqual([limiter.take('b'), limiter.take('b')], [0, 1000]);
  });

  it('starts with full buckets after a reset', () => {
    const { limiter } = createLimiter(1, 1);
    limiter.take('a');
    limiter.take('b');
    limiter.reset('a');
    assert.equal(limiter.take('a'), 0);
    assert.ok(limiter.take('b') > 0);
  });

  it('limiter never allows more than the burst and the tokens earned since', () => {
    const steps = fc.array(fc.nat(400), { minLength: 1, maxLength: 200 });
    const rates = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(rates, rates, steps, (rate, burst, pauses) => {
        const { limiter, clock } = createLimiter(rate, burst);
        const start = clock.now;
        let granted = 0;
        for (const pause of pauses) {
          clock.now += pause;
          if (limiter.take('a') === 0) granted++;
          const earned = ((clock.now - start) / 1000) * rate;
          assert.ok(granted <= burst + earned + 1e-6, `${granted} of ${burst} and ${earned}`);
        }
      }),
    );
  });

  it('limiter never forgets a key that must still wait however many others arrive', () => {
    const { limiter, clock } = createLimiter(1, 1);
    // All at the same time, so that no bucket is full when the sweep runs.
    const keys = Array.from({ length: 10_000 }, (_, i) => `key ${i}`);
    for (const key of keys) assert.equal(limiter.take(key), 0, key);
    for (const key of keys) assert.equal(limiter.take(key), 1000, key);
    clock.now += 1000;
    for (const key of keys) assert.equal(limiter.take(key), 0, key);
  });
});
