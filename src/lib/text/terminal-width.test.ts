import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { columnsOf, padColumns } from './terminal-width.ts';

describe('terminal columns', () => {
  for (const [text, columns] of [
    ['order', 5],
    ['Größe', 5],
    ['注文-更新', 9],
    ['주문', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['ＡＢ', 4],
  ] as const) {
    it(`${text} takes ${columns} columns`, () => {
      assert.equal(columnsOf(text), columns);
      assert.equal(columnsOf(padColumns(text, 12)), 12);
    });
  }
});
