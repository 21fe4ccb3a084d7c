import { type Kysely, type RawBuilder, sql } from 'kysely';

import type { Schema, Tables } from './schema.ts';
import { inDatabase, keyIn } from './tables.ts';

/**
 * Deletes up to `limit` of the rows that match; returns how many. They are selected first, because `delete` has no
 * limit, and by the whole key, which has an index.
 */
export function deleteRows(
  db: Kysely<Schema>,
  table: keyof Tables,
  which: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const from = sql.table(inDatabase(table));
  const key = sql.join(keyIn('postgres', table).map((column) => sql.ref(inDatabase(column))));
  return countRows(
    db,
    sql`delete from ${from} where (${key}) in
      (select ${key} from ${from} where ${which} limit ${limit})`,
  );
}

/** Like `deleteRows`, for the same rows of several tables; returns the largest number deleted. */
export async function deleteFromEach(
  db: Kysely<Schema>,
  tables: readonly (keyof Tables)[],
  which: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  let largest = 0;
  for (const table of tables) {
    largest = Math.max(largest, await deleteRows(db, table, which, limit));
  }
  return largest;
}

/** The number of rows that a statement changed. */
export async function countRows(
  db: Kysely<Schema>,
  statement: RawBuilder<unknown>,
): Promise<number> {
  const { numAffectedRows } = await statement.execute(db);
  return Number(numAffectedRows ?? 0);
}
