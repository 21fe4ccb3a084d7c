import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { gsmLength } from './gsm.ts';

describe('the length of a text message', () => {
  it('is that of its characters, two for each of the extension', () => {
    assert.equal(gsmLength(''), 0);
    assert.equal(gsmLength('Grüße an Æsop, 5 £ @ 20:15?\n'), 28);
    assert.equal(gsmLength('€[]{}^~|\\'), 18);
  });

  it('is none where there are other characters', () => {
    for (const text of ['ç', '`', '“', '\t', 'a👋', 'שלום', '\u00a0']) {
      assert.equal(gsmLength(text), undefined, text);
    }
  });
});
