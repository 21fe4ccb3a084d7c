import assert from 'node:assert/strict';
import { it } from 'node:test';

import { secondsIn } from './iso-duration.ts';

it('parses a duration into seconds', () => {
  for (const [written, seconds] of [
    ['PT5S', 5],
    ['PT1M5.25S', 65.25],
    ['PT2H', 7200],
    ['PT1H0M1S', 3601],
  ] as const) {
    assert.equal(secondsIn(written), seconds, written);
  }
});

it('rejects invalid durations and durations with days', () => {
  for (const written of [
    '',
    'PT',
    'PTS',
    'P1D',
    'PT5',
    '5S',
    'PT1S1M',
    'PT-1S',
    'PT1.2.3S',
    5,
    null,
  ]) {
    assert.equal(secondsIn(written), undefined, String(written));
  }
});
