import assert from 'node:assert/strict';
import { it } from 'node:test';

import { memoize } from './memoize.ts';

it('memoizes the last arguments, including undefined results', () => {
  const computed: string[] = [];
  const judge = memoize((text) => {
    computed.push(text);
    return text === '' ? undefined : text.length;
  }, 2);
  assert.deepEqual(
    [judge('one'), judge('one'), judge(''), judge('')],
    [3, 3, undefined, undefined],
  );
  assert.deepEqual(computed, ['one', '']);

  judge('three');
  assert.equal(judge('one'), 3);
  assert.deepEqual(computed, ['one', '', 'three', 'one'], 'the third evicted the first');
});
