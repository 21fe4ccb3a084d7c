import { sql } from 'kysely';

import type { Store } from '../../../src/store/store.ts';

/** The tables with a row that contains the text. */
export async function tracesOf({ engine: { db } }: Store, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, columns } of await db.introspection.getTables()) {
    const row = sql.join(
      columns.map((column) => sql`coalesce(cast(${sql.ref(column.name)} as text), '')`),
      sql` || ' ' || `,
    );
    const { rows } = await sql`select 1 from ${sql.table(name)}
      where ${row} like ${`%${text}%`} limit 1`.execute(db);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
