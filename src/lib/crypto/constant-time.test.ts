import assert from 'node:assert/strict';
import { it } from 'node:test';

import { equalInConstantTime } from './constant-time.ts';

it('equal secrets match, of any length and type', () => {
  assert.ok(equalInConstantTime('secret', 'secret'));
  assert.ok(equalInConstantTime('sécret', Buffer.from('sécret')));
  assert.ok(equalInConstantTime('', ''));
});

it('different secrets do not match', () => {
  for (const other of ['secreT', 'secre', 'secret ', '', 'Secret', Buffer.from('secre\0')]) {
    assert.ok(!equalInConstantTime('secret', other));
    assert.ok(!equalInConstantTime(other, 'secret'));
  }
});

it('a missing secret matches nothing', () => {
  assert.ok(!equalInConstantTime(undefined, undefined));
  assert.ok(!equalInConstantTime(undefined, ''));
  assert.ok(!equalInConstantTime('', undefined));
});
