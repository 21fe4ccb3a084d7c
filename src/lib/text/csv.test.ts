import assert from 'node:assert/strict';
import { it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import { csvRow, csvRows } from './csv.ts';

const rowsOf = (text: string) => Array.fromAsync(csvRows([text]));

it('rows are read as they were written, with any content of the fields', async () => {
  const field = fc.oneof(fc.string(), fc.constantFrom('', '"', ',', '\r\n', '\n', 'a"b', ' '));
  const rows = fc.array(fc.array(field, { minLength: 2, maxLength: 5 }));
  await fc.assert(
    fc.asyncProperty(rows, async (written) => {
      const text = written.map(csvRow).join('');
      const read = (await rowsOf(text)).map((row) => ('fields' in row ? row.fields : row.fault));
      assert.deepEqual(read, written);
    }),
  );
});

it('a row has the number of its first line, and empty lines are skipped', async () => {
  const rows = await rowsOf('a,b\r\n\n"x\ny",2\n3,4');
  assert.deepEqual(rows, [
    { line: 1, fields: ['a', 'b'] },
    { line: 3, fields: ['x\ny', '2'] },
    { line: 5, fields: ['3', '4'] },
  ]);
});

it('a row that cannot be read is reported, and the next one is read', async () => {
  const rows = await rowsOf('"a"b,c\nd,e\n"open\nf,g');
  assert.deepEqual(
    rows.map((row) => [row.line, 'fault' in row]),
    [
      [1, true],
      [2, false],
      [3, true],
      [4, false],
    ],
  );
});

it('every line end ends a row', async () => {
  const rows = await rowsOf('a,b\r1,2\r\n"3\r",4\r5"6\r"7"8\r9,0');
  assert.deepEqual(
    rows.map((row) => [row.line, 'fields' in row ? row.fields : 'fault']),
    [
      [1, ['a', 'b']],
      [2, ['1', '2']],
      [3, ['3\r', '4']],
      [5, ['5"6']],
      [6, 'fault'],
      [7, ['9', '0']],
    ],
  );
});

it('a field of any length is reported, and the next row is read', async () => {
  const rows = await rowsOf(`a,${'x'.repeat(5_000_000)}\nb,c`);
  assert.deepEqual(
    rows.map((row) => [row.line, 'fault' in row]),
    [
      [1, true],
      [2, false],
    ],
  );
});

it('a quoted field that is too long is reported, however the text arrives', async () => {
  for (const size of [150_000, 350_000]) {
    const rows = await rowsOf(`"${'x'.repeat(size)}"\nb,c`);
    assert.deepEqual(
      rows.map((row) => 'fault' in row),
      [true, false],
    );
  }
});

it('any text is read in one pass', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => (await rowsOf(text)).length <= text.length),
  );
  const hostile = '"'.repeat(300_000);
  assert.ok((await rowsOf(hostile)).length <= 1);
  assert.ok((await rowsOf(',\n'.repeat(50_000))).length === 50_000);
});

it('a row that cannot be read has the reason', async () => {
  assert.deepEqual(await rowsOf('"a"b\n"c'), [
    { line: 1, fault: 'has text after a quoted field' },
    { line: 2, fault: 'has a quote without an end' },
  ]);
});
