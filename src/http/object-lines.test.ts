import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { limited } from './object-lines.ts';

describe('lines of a file', () => {
  it('lines of a file are refused beyond the maximum number', () => {
    assert.deepEqual([...limited([1, 2, 3], 3)], [1, 2, 3]);
    const seen: number[] = [];
    assert.throws(() => {
      for (const line of limited([1, 2, 3], 2)) seen.push(line);
    });
    assert.deepEqual(seen, [1, 2]);
  });
});
