import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { gsmLength, segmentsOf } from './gsm.ts';

describe('GSM length', () => {
  it('counts characters, and two for each of the extension table', () => {
    assert.equal(gsmLength(''), 0);
    assert.equal(gsmLength('Grüße an Æsop, 5 £ @ 20:15?\n'), 28);
    assert.equal(gsmLength('€[]{}^~|\\'), 18);
  });

  it('GSM length is undefined for other characters', () => {
    for (const text of ['ç', '`', '“', '\t', 'a👋', 'שלום', '\u00a0']) {
      assert.equal(gsmLength(text), undefined, text);
    }
  });
});

describe('SMS segments', () => {
  for (const [text, encoding, count, because] of [
    ['x'.repeat(160), 'GSM-7', 1, []],
    ['x'.repeat(161), 'GSM-7', 2, []],
    ['€'.repeat(80), 'GSM-7', 1, []],
    ['€'.repeat(81), 'GSM-7', 2, []],
    ['ç'.repeat(70), 'UCS-2', 1, ['ç']],
    ['ç'.repeat(71), 'UCS-2', 2, ['ç']],
    ['“a” 👋', 'UCS-2', 1, ['“', '”', '👋']],
    // No segment ends within a character that takes two places.
    ['€'.repeat(153), 'GSM-7', 3, []],
    ['👋'.repeat(67), 'UCS-2', 3, ['👋']],
  ] as const) {
    it(`${text.slice(0, 6)} (${text.length} characters) takes ${count} in ${encoding}`, () => {
      assert.deepEqual(segmentsOf(text), { encoding, count, because });
    });
  }
});
