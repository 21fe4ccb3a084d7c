import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';

import { TestClock } from '../../test/support/clock.ts';
import { Budget } from './budget.ts';

describe('a budget', () => {
  it('has all of its burst at first, and then what the pace allows', () => {
    const clock = new TestClock();
    const budget = new Budget({ count: 30, seconds: 1, burst: 3 }, clock);
    assert.deepEqual([budget.available, budget.nextAt], [3, undefined]);
    for (let i = 0; i < 3; i++) budget.spend();
    assert.deepEqual([budget.available, budget.nextAt], [0, clock.now() + 34]);
    clock.advance(33);
    assert.equal(budget.available, 0);
    clock.advance(1);
    assert.deepEqual([budget.available, budget.nextAt], [1, undefined]);
  });

  it('saves up no more than its burst', () => {
    const clock = new TestClock();
    const budget = new Budget({ count: 1, seconds: 60, burst: 2 }, clock);
    clock.advance(24 * 60 * 60 * 1000);
    assert.equal(budget.available, 2);
  });

  it('may be overspent, and is in debt then', () => {
    const clock = new TestClock();
    const budget = new Budget({ count: 1, seconds: 1, burst: 1 }, clock);
    budget.spend();
    budget.spend();
    assert.equal(budget.available, -1);
    assert.equal(budget.nextAt, clock.now() + 2000);
  });

  it('has again what was spent for nothing, and no more than its burst', () => {
    const budget = new Budget({ count: 1, seconds: 60, burst: 2 }, new TestClock());
    budget.spend();
    budget.giveBack();
    budget.giveBack();
    assert.equal(budget.available, 2);
  });

  it('never gives more than the pace allows in any time, nor less', () => {
    const pace = fc.record({
      count: fc.integer({ min: 1, max: 100 }),
      seconds: fc.integer({ min: 1, max: 60 }),
      burst: fc.integer({ min: 1, max: 50 }),
    });
    const steps = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(pace, steps, (limit, waits) => {
        const clock = new TestClock();
        const start = clock.now();
        const budget = new Budget(limit, clock);
        let spent = 0;
        for (const wait of waits) {
          for (; budget.available >= 1; spent++) budget.spend();
          const passed = (clock.now() - start) / 1000;
          assert.ok(spent <= limit.burst + (limit.count * passed) / limit.seconds + 1e-6);
          const next = budget.nextAt ?? 0;
          assert.ok(next > clock.now());
          const isThere = wait >= next - clock.now();
          // Fractions may cost a millisecond.
          clock.advance(isThere ? next - clock.now() + 1 : wait);
          if (isThere) assert.ok(budget.available >= 1, 'it is there when it was said to be');
        }
      }),
    );
  });
});
