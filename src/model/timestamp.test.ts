import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../test/support/fast-check.ts';
import { parseTimestamp, timestamp } from './timestamp.ts';

const NOON = Date.UTC(2026, 1, 28, 12, 30, 45);

describe('timestamp', () => {
  it('timestamp is written in UTC, in whole seconds, without a zone', () => {
    assert.equal(timestamp(NOON), '2026-02-28T12:30:45');
    assert.equal(timestamp(NOON + 999), '2026-02-28T12:30:45');
    assert.equal(timestamp(0), '1970-01-01T00:00:00');
  });

  it('timestamp is read as written, to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) }), (at) => {
        assert.equal(parseTimestamp(timestamp(at)), at - (at % 1000));
      }),
    );
  });

  it('timestamp is read in other ISO 8601 forms, as UTC without a zone', () => {
    for (const [text, at] of [
      ['2026-02-28T12:30:45Z', NOON],
      ['2026-02-28T12:30:45.5Z', NOON + 500],
      ['2026-02-28T12:30:45.123', NOON + 123],
      ['2026-02-28T14:30:45+02:00', NOON],
      ['2026-02-28T07:00:45-05:30', NOON],
      ['2026-02-28T12:30', NOON - 45_000],
      ['2026-02-28T12:30Z', NOON - 45_000],
      ['2026-02-28', Date.UTC(2026, 1, 28)],
      ['2024-02-29T00:00:00', Date.UTC(2024, 1, 29)],
    ] as const) {
      assert.equal(parseTimestamp(text), at, text);
    }
  });

  it('rejects invalid times', () => {
    for (const text of [
      '',
      'yesterday',
      '1772281845',
      '2026',
      '2026-02',
      '26-02-28',
      '2026-2-28',
      '2026-13-01',
      '2026-00-10',
      '2026-02-29',
      '2026-02-30T12:00:00Z',
      '2026-04-31T23:00:00-05:00',
      '2026-02-28 12:30:45',
      '2026-02-28T25:00:00',
      '2026-02-28T12:60:00',
      '2026-02-28T12:30:45+24:00',
      '2026-02-28T12:30:45z',
      '2026-02-28T12',
      ' 2026-02-28',
      '2026-02-28T12:30:45\n',
      '2026-02-28T12:30:45 GMT',
      '+002026-02-28',
    ]) {
      assert.equal(parseTimestamp(text), undefined, text);
    }
  });
});
