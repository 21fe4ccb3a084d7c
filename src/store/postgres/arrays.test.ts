import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import pg from 'pg';

import { type TestDatabase, createDatabase } from '../../../test/support/store/databases.ts';
import { int4Array, int8Array, textArray } from './arrays.ts';

describe('binary arrays', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createDatabase('postgres');
    client = new pg.Client(database.environment['SWITCHBOARD_DATABASE']);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.dispose();
  });

  const read = async (type: string, array: Buffer) =>
    (await client.query<{ array: unknown[] }>(`select $1::${type}[] as array`, [array])).rows[0]
      ?.array;

  it('binary arrays arrive unchanged', async () => {
    const texts = ['', 'a"b\\c{d},e', 'null', null, 'žluťoučký 🐎', 'x'.repeat(100_000)];
    assert.deepEqual(await read('text', textArray(texts)), texts);
    assert.deepEqual(await read('text', textArray([undefined, 'a'])), [null, 'a']);
    const small = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), null];
    assert.deepEqual(await read('int', int4Array(small)), small);
    const large = [0, 1, -1, 2 ** 32, 2 ** 32 - 1, -(2 ** 32), Date.now(), 2 ** 53 - 1, null];
    const numbers = (await read('bigint', int8Array(large))) as (string | null)[];
    assert.deepEqual(
      numbers.map((number) => number && Number(number)),
      large.map((number) => (number === 0 ? 0 : number)),
    );
  });

  it('binary arrays may be empty', async () => {
    assert.deepEqual(await read('text', textArray([])), []);
    assert.deepEqual(await read('bigint', int8Array([])), []);
  });
});
