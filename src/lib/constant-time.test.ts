import assert from 'node:assert/strict';
import { it } from 'node:test';

import { equalInConstantTime } from './constant-time.ts';

it('knows what is equal, of whatever length and kind', () => {
  assert.ok(equalInConstantTime('secret', 'secret'));
  assert.ok(equalInConstantTime('sécret', Buffer.from('sécret')));
  assert.ok(equalInConstantTime('', ''));
});

it('takes nothing else for equal', () => {
  for (const other of ['secreT', 'secre', 'secret ', '', 'Secret', Buffer.from('secre\0')]) {
    assert.ok(!equalInConstantTime('secret', other));
    assert.ok(!equalInConstantTime(other, 'secret'));
  }
});

it('takes what is missing for equal to nothing', () => {
  assert.ok(!equalInConstantTime(undefined, undefined));
  assert.ok(!equalInConstantTime(undefined, ''));
  assert.ok(!equalInConstantTime('', undefined));
});
