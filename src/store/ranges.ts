import { type Kysely, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Schema } from './schema.ts';

/** How many rows of a table one statement goes through: others want the store in between. */
const MAX_AT_ONCE = 1_000;

/** Numbers after the one and up to the other. */
export interface Range {
  after: Id;
  upTo: Id;
}

/** Tables with one row for each application, and the column that has its number. */
const COLUMNS = { applications: 'id', endpoints: 'application_id' } as const;

/** Divides such a table into ranges of applications, each of which one statement can go through. */
export async function* rangesOf(
  db: Kysely<Schema>,
  table: keyof typeof COLUMNS,
): AsyncGenerator<Range> {
  const column = sql.ref(COLUMNS[table]);
  for (let after = 0; ;) {
    const { rows } = await sql<{ last: Id }>`select ${column} as last from ${sql.table(table)}
      where ${column} > ${after} order by ${column} limit 1 offset ${MAX_AT_ONCE - 1}`.execute(db);
    const [end] = rows;
    yield { after, upTo: end?.last ?? Number.MAX_SAFE_INTEGER };
    if (!end) return;
    after = end.last;
  }
}
