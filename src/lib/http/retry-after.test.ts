import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { retryAfter } from './retry-after.ts';

const now = Date.UTC(2026, 10, 15, 12, 0, 0);

describe('Retry-After', () => {
  for (const [header, seconds] of [
    ['0', 0],
    ['30', 30],
    [' 30 ', 30],
    ['1.2', 2],
    ['999999999', 999_999_999],
    ['Sun, 15 Nov 2026 12:01:30 GMT', 90],
    ['Sun, 15 Nov 2026 11:00:00 GMT', 0],
  ] as const) {
    it(`${header} means ${seconds} seconds`, () => {
      assert.equal(retryAfter(header, now), seconds);
    });
  }

  it('fractions of a second are rounded up', () => {
    assert.equal(retryAfter('Sun, 15 Nov 2026 12:00:01 GMT', now + 1), 1);
  });

  for (const header of [
    undefined,
    '',
    'soon',
    '-1',
    '1e3',
    '0x10',
    '1,2',
    '30 seconds',
    '9999999999',
    'Infinity',
    '2026-11-15T12:01:30Z',
    'Sun, 99 Xyz 2026 12:01:30 GMT',
  ]) {
    it(`${JSON.stringify(header)} is ignored`, () => {
      assert.equal(retryAfter(header, now), undefined);
    });
  }
});
