import assert from 'node:assert/strict';
import { it } from 'node:test';

import { similarNames } from './similar-names.ts';

const names = ['telegram', 'instagram', 'slack', 'zulip', 'x'];

it('finds the names that a word may be a misspelling of, closest first', () => {
  for (const [word, found] of [
    ['telgram', ['telegram']],
    ['telegarm', ['telegram']],
    ['slcak', ['slack']],
    ['zullip', ['zulip']],
    ['nstagram', ['instagram']],
    ['telegram', ['telegram']],
    ['', []],
    ['pigeon-post', []],
    ['telegram'.repeat(100), []],
  ] as const) {
    assert.deepEqual(similarNames(word, names), found, word);
  }
});
