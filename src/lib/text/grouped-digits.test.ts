import assert from 'node:assert/strict';
import { it } from 'node:test';

import { groupDigits } from './grouped-digits.ts';

it('groups the digits of a count as English does', () => {
  for (const count of [0, 7, 999, 1_000, 50_000, 123_456, 1_000_000, 12_345_678]) {
    assert.equal(groupDigits(count), count.toLocaleString('en'));
  }
});
