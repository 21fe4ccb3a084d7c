import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Schema } from '../schema.ts';

/** Rows per statement, so that other statements run in between. */
const ROWS_PER_RANGE = 1_000;

/** Ids after one and up to another. */
export interface Range {
  after: Id;
  upTo: Id;
}

/** Tables with one row per application, and their column with its id. */
const COLUMNS = { applications: 'id', endpoints: 'application_id' } as const;

/** Divides such a table into ranges that one statement can process. */
export async function* rangesOf(
  db: Kysely<Schema>,
  table: keyof typeof COLUMNS,
): AsyncGenerator<Range> {
  const column = sql.ref(COLUMNS[table]);
  for (let after = 0; ;) {
    const { rows } = await sql<{ last: Id }>`select ${column} as last from ${sql.table(table)}
      where ${column} > ${after} order by ${column} limit 1 offset ${ROWS_PER_RANGE - 1}`.execute(
      db,
    );
    const [end] = rows;
    yield { after, upTo: end?.last ?? Number.MAX_SAFE_INTEGER };
    if (!end) return;
    after = end.last;
  }
}
