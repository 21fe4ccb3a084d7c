import assert from 'node:assert/strict';
import { it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import { normalPhoneNumber } from './phone-number.ts';

it('a phone number has one form, whatever prefix people write', () => {
  const cases = [
    ['+447911123456', '+447911123456'],
    ['+4407911123456', '+447911123456'],
    ['+44 (0)7911 123-456', '+447911123456'],
    ['+15558675310', '+15558675310'],
    // Twilio's and our own test numbers.
    ['+15005550006', '+15005550006'],
    // Argentina's 9 is part of the number.
    ['+5491123456789', '+5491123456789'],
  ];
  for (const [given = '', normal] of cases) assert.equal(normalPhoneNumber(given), normal);
});

it('anything that is no phone number stays as it is', () => {
  for (const text of [
    '12345',
    '+12',
    '+9999',
    'US.13491208655302741918',
    '',
    '+',
    'ada@example.com',
  ]) {
    assert.equal(normalPhoneNumber(text), text);
  }
});

it('a normal number stays the same, and every text is read', () => {
  const numbers = fc.stringMatching(/^\+[1-9]\d{4,14}$/);
  fc.assert(
    fc.property(fc.oneof(numbers, fc.string()), (text) => {
      const normal = normalPhoneNumber(text);
      assert.equal(normalPhoneNumber(normal), normal);
    }),
  );
});
