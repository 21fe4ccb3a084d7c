import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Problem } from '../model/problem.ts';
import { limited } from './object-lines.ts';

async function* three() {
  yield* [1, 2, 3];
}

describe('lines of a file', () => {
  it('lines of a file are refused beyond the maximum number', async () => {
    assert.deepEqual(await Array.fromAsync(limited(three(), 3)), [1, 2, 3]);
    const seen: number[] = [];
    await assert.rejects(async () => {
      for await (const line of limited(three(), 2)) seen.push(line);
    }, Problem);
    assert.deepEqual(seen, [1, 2]);
  });
});
