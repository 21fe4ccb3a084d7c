import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import { limitDelay, retryDelay } from './retry.ts';

const SECOND = 1000;
const SCHEDULE = [1, 5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200].map(
  (seconds) => seconds * SECOND,
);
const DAY = 24 * 60 * 60 * SECOND;

const random = () => fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('retry delay', () => {
  it('retry delay follows the schedule when jitter is zero', () => {
    assert.deepEqual(
      SCHEDULE.map((_, i) => retryDelay(i + 1, 0.5)),
      SCHEDULE,
    );
  });

  it('varies by a fifth in both directions', () => {
    assert.deepEqual([retryDelay(2, 0), retryDelay(3, 0)], [4000, 24_000]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: SCHEDULE.length }), random(), (failures, chance) => {
        const middle = SCHEDULE[failures - 1] ?? 0;
        const delay = retryDelay(failures, chance) ?? 0;
        assert.ok(Number.isSafeInteger(delay));
        assert.ok(delay >= 0.8 * middle && delay <= 1.2 * middle);
      }),
    );
  });

  it('grows with the failures, for any jitter', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: SCHEDULE.length - 1 }),
        random(),
        random(),
        (failures, one, other) => {
          assert.ok(Number(retryDelay(failures, one)) < Number(retryDelay(failures + 1, other)));
        },
      ),
    );
  });

  it('retry delay is undefined after the last attempt', () => {
    fc.assert(
      fc.property(fc.integer({ min: 11, max: 1_000_000 }), random(), (failures, chance) => {
        assert.equal(retryDelay(failures, chance), undefined);
      }),
    );
  });
});

describe('rate limit delay', () => {
  it('rate limit delay is as long as the channel says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 86_400 }), fc.nat(100), (seconds, repeats) => {
        assert.equal(limitDelay(seconds, repeats), seconds * SECOND);
      }),
    );
  });

  it('rate limit delay is rounded up', () => {
    assert.equal(limitDelay(1.0001, 0), 1001);
  });

  it('rate limit delay is at least a second and at most a day', () => {
    for (const seconds of [0, -5, 0.001, 0.5]) assert.equal(limitDelay(seconds, 0), SECOND);
    for (const seconds of [86_401, 1e9, Number.POSITIVE_INFINITY]) {
      assert.equal(limitDelay(seconds, 0), DAY);
    }
  });

  it('doubles up to a minute if the channel does not say', () => {
    for (const unsaid of [undefined, Number.NaN]) {
      const delays = Array.from({ length: 9 }, (_, repeats) => limitDelay(unsaid, repeats));
      assert.deepEqual(
        delays,
        [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * SECOND),
      );
      assert.equal(limitDelay(unsaid, 1_000_000), 60 * SECOND);
    }
  });
});
