import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { TestClock } from '../../../test/support/clock.ts';
import { fc } from '../../../test/support/fast-check.ts';
import { Budget } from './budget.ts';

describe('Budget', () => {
  it('starts with its whole burst and then refills at the rate', () => {
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

  it('accumulates at most its burst', () => {
    const clock = new TestClock();
    const budget = new Budget({ count: 1, seconds: 60, burst: 2 }, clock);
    clock.advance(24 * 60 * 60 * 1000);
    assert.equal(budget.available, 2);
  });

  it('Budget goes negative when overspent', () => {
    const clock = new TestClock();
    const budget = new Budget({ count: 1, seconds: 1, burst: 1 }, clock);
    budget.spend();
    budget.spend();
    assert.equal(budget.available, -1);
    assert.equal(budget.nextAt, clock.now() + 2000);
  });

  it('takes back unused tokens, up to its burst', () => {
    const budget = new Budget({ count: 1, seconds: 60, burst: 2 }, new TestClock());
    budget.spend();
    budget.refund();
    budget.refund();
    assert.equal(budget.available, 2);
  });

  it('grants at most the burst and the rate over any period', () => {
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
        const sent: number[] = [];
        for (const wait of waits) {
          while (budget.available >= 1) {
            budget.spend();
            budget.answered();
            sent.push(clock.now());
          }
          const passed = (clock.now() - start) / 1000;
          assert.ok(sent.length <= limit.burst + (limit.count * passed) / limit.seconds + 1e-6);
          const inPeriod = sent.filter((at) => at > clock.now() - limit.seconds * 1000);
          if (limit.burst <= limit.count) assert.ok(inPeriod.length <= limit.count);
          const next = budget.nextAt ?? 0;
          assert.ok(next > clock.now());
          const isThere = wait >= next - clock.now();
          // Rounding may cost a millisecond.
          clock.advance(isThere ? next - clock.now() + 1 : wait);
          if (isThere) assert.ok(budget.available >= 1, 'a token is available at nextAt');
        }
      }),
    );
  });

  it('counts a message until a period has passed since its answer', () => {
    const clock = new TestClock();
    const budget = new Budget({ count: 2, seconds: 1, burst: 2 }, clock);
    budget.spend();
    budget.spend();
    clock.advance(1_500);
    assert.deepEqual([budget.available, budget.nextAt], [0, undefined]);
    budget.answered();
    assert.deepEqual([budget.available, budget.nextAt], [0, clock.now() + 1_000]);
    clock.advance(1_000);
    assert.equal(budget.available, 1);
  });

  it('a message that was not sent does not count', () => {
    const budget = new Budget({ count: 1, seconds: 60, burst: 1 }, new TestClock());
    budget.spend();
    budget.refund();
    budget.answered();
    assert.equal(budget.available, 1);
    // One that was started before the channel was known.
    budget.answered();
    assert.equal(budget.available, 1);
  });
});
