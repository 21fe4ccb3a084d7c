import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../test/support/fast-check.ts';
import { AFTER_ALL_IDS, BEFORE_ALL_IDS, NO_ID, parseCursor, parseId } from './id.ts';

describe('parseId', () => {
  it('reads an assigned id as a number, a BigInt or a decimal string', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (id) => {
        assert.equal(parseId(id), id);
        assert.equal(parseId(BigInt(id)), id);
        assert.equal(parseId(String(id)), id);
      }),
    );
  });

  it('maps every other int64 to an id that no record has, without rounding', () => {
    for (const id of [
      0,
      -0,
      -1,
      Number.MIN_SAFE_INTEGER,
      2n ** 53n,
      2n ** 63n - 1n,
      -(2n ** 63n),
      '0',
      '-5',
      '9007199254740992',
      '9223372036854775807',
      '-9223372036854775808',
    ]) {
      assert.equal(parseId(id), NO_ID, String(id));
    }
    assert.equal(parseId('9007199254740991'), Number.MAX_SAFE_INTEGER);
  });

  it('rejects values that are not int64', () => {
    for (const value of [
      2n ** 63n,
      -(2n ** 63n) - 1n,
      '9223372036854775808',
      '-9223372036854775809',
      '99999999999999999999',
      '',
      ' 1',
      '1 ',
      '1\n',
      '+1',
      '1.0',
      '1e3',
      '0x10',
      '１',
      '--1',
      'me',
      1.5,
      2 ** 53,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      true,
      null,
      undefined,
      [1],
      { id: 1 },
    ]) {
      assert.equal(parseId(value), undefined, String(value));
    }
  });
});

describe('parseCursor', () => {
  it('reads every int64 as a position among the ids', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
        const between = id > 0n && id < 2n ** 53n ? Number(id) : undefined;
        assert.equal(
          parseCursor(String(id)),
          between ?? (id > 0n ? AFTER_ALL_IDS : BEFORE_ALL_IDS),
        );
      }),
    );
  });

  it('rejects values that are not int64', () => {
    for (const text of ['', 'x', '1.5', ' 1', '9223372036854775808', '-9223372036854775809']) {
      assert.equal(parseCursor(text), undefined, text);
    }
  });
});
