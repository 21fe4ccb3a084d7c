import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ExpiringValues, ExpiringValuesByOwner } from './expiring-values.ts';

describe('expiring values', () => {
  it('exist until they expire, are deleted or replaced', () => {
    let now = 0;
    const values = new ExpiringValues({ now: () => now }, 10);
    values.write('a', 'first', 100);
    values.write('b', 'other', 50);
    now = 49;
    assert.deepEqual(
      [values.read('a'), values.read('b'), values.read('c')],
      ['first', 'other', undefined],
    );
    now = 50;
    assert.deepEqual([values.read('a'), values.read('b')], ['first', undefined]);
    values.write('a', 'second', 10);
    assert.equal(values.read('a'), 'second');
    values.erase('a');
    assert.equal(values.read('a'), undefined);
  });

  it('expiring values never exceed the limits of values and owners', () => {
    const clock = { now: () => 0 };
    const values = new ExpiringValues(clock, 2);
    for (const name of ['a', 'b', 'a', 'c']) values.write(name, name, 1);
    assert.deepEqual([values.read('a'), values.read('b'), values.read('c')], ['a', undefined, 'c']);
    const all = new ExpiringValuesByOwner<number>(clock, { owners: 2, each: 1 });
    all.of(1).write('a', 'of 1', 1);
    all.of(2).write('a', 'of 2', 1);
    assert.equal(all.of(1).read('a'), 'of 1');
    all.of(3);
    assert.deepEqual([all.of(1).read('a'), all.of(2).read('a')], ['of 1', undefined]);
  });
});
