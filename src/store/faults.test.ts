import assert from 'node:assert/strict';
import { it } from 'node:test';

import { StoreUnavailable, isRefused, isUnavailable, isUniqueViolation } from './faults.ts';

const failed = (message: string, extra: object = {}) => Object.assign(new Error(message), extra);
const sqlite = (errcode: number) => failed('sqlite', { code: 'ERR_SQLITE_ERROR', errcode });

const UNAVAILABLE = [
  new StoreUnavailable('gone'),
  failed('connect', { code: 'ECONNREFUSED' }),
  failed('terminating connection', { code: '57P01' }),
  failed('too many connections', { code: '53300' }),
  failed('cannot execute INSERT in a read-only transaction', { code: '25006' }),
  failed('Connection terminated unexpectedly'),
  failed('Query read timeout'),
  sqlite(5),
  sqlite(13),
  sqlite(11),
  sqlite(26),
  sqlite(10 | (3 << 8)),
];
const REFUSED = [
  failed('null value', { code: '23502' }),
  failed('invalid byte sequence', { code: '22021' }),
  failed('index row size', { code: '54000' }),
  sqlite(19),
  sqlite(2067),
];

it('distinguishes an unavailable store, refused data and unexpected errors', () => {
  for (const error of UNAVAILABLE) {
    assert.deepEqual([isUnavailable(error), isRefused(error)], [true, false], error.message);
  }
  for (const error of REFUSED) {
    assert.deepEqual([isUnavailable(error), isRefused(error)], [false, true], error.message);
  }
  const unforeseen = new TypeError('x is not a function');
  assert.deepEqual([isUnavailable(unforeseen), isRefused(unforeseen)], [false, false]);
});

it('recognizes a unique violation in both databases', () => {
  assert.ok(isUniqueViolation(sqlite(2067)));
  assert.ok(isUniqueViolation(failed('duplicate key', { code: '23505' })));
  assert.ok(!isUniqueViolation(failed('null value', { code: '23502' })));
});
