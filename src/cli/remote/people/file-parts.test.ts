import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../../../test/support/fast-check.ts';
import { csvRow, csvRows } from '../../../lib/text/csv.ts';
import { CliError } from '../../exit.ts';
import { partsOf } from './file-parts.ts';

const LIMITS = { rows: 3, length: 300, window: 200 };

async function* piecesOf(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const field = fc.string({ maxLength: 12, unit: fc.constantFrom('a', '"', '\n', '\r', ',', 'ü') });
const file = fc
  .array(fc.array(field, { minLength: 2, maxLength: 3 }), { maxLength: 20 })
  .map((rows) => ['id,"na\nme"\n'].concat(rows.map((row) => csvRow(row))));

describe('parts of a file', () => {
  it('the parts of a CSV file have its rows, each with its line', async () => {
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        async (rows, size, isOpen) => {
          const text = isOpen ? rows.join('').replace(/\r\n$/, '') : rows.join('');
          const [, ...expected] = await Array.fromAsync(csvRows([text]));
          const found = [];
          for await (const part of partsOf(piecesOf(text, size), 'csv', LIMITS)) {
            assert.ok(part.rows <= LIMITS.rows);
            const [header, ...own] = await Array.fromAsync(csvRows([part.text]));
            assert.deepEqual(header, { line: 1, fields: ['id', 'na\nme'] });
            for (const row of own) found.push({ ...row, line: part.lineOf(row.line) });
          }
          assert.deepEqual(found, expected);
        },
      ),
    );
  });

  it('the parts of an NDJSON file have its lines, also empty ones', async () => {
    const text = ['1', '', '2', '3', '4', '', '5'].join('\n');
    const found = [];
    for await (const part of partsOf(piecesOf(text, 2), 'ndjson', LIMITS)) {
      for (const [i, line] of part.text.split('\n').entries()) {
        if (line !== '') found.push([part.lineOf(i + 1), line]);
      }
    }
    assert.deepEqual(found, [
      [1, '1'],
      [3, '2'],
      [4, '3'],
      [5, '4'],
      [7, '5'],
    ]);
  });

  it('an empty file has no part, and one with a header only has one', async () => {
    const count = async (text: string) =>
      (await Array.fromAsync(partsOf(piecesOf(text, 9), 'csv'))).length;
    assert.deepEqual([await count(''), await count('\n'), await count('id')], [0, 0, 1]);
  });

  it('a line without an end is refused before it fills the memory', async () => {
    let given = 0;
    async function* endless() {
      for (;;) {
        given += 65_536;
        yield 'x'.repeat(65_536);
      }
    }
    await assert.rejects(Array.fromAsync(partsOf(endless(), 'ndjson')), CliError);
    assert.ok(given < 10_000_000, `${given}`);
  });
});
