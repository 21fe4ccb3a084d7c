import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Schema } from '../schema.ts';
import { TABLES, inDatabase } from '../tables.ts';
import type { PeopleTables } from './rows.ts';

const PEOPLE = [
  'contacts',
  'addresses',
  'contactTerms',
  'conversations',
  'conversationEvents',
  'projections',
  'contactMerges',
  'contactSeparations',
  'addressMoves',
  'contactImports',
  'importBlocks',
  'importErrors',
  'erasures',
  'digestKeys',
] as const satisfies (keyof PeopleTables)[];

/** Deletes up to `limit` rows of each table of a deleted application; returns the largest number deleted. */
export async function purgePeople(
  db: Kysely<Schema>,
  applicationId: Id,
  limit: number,
): Promise<number> {
  let most = 0;
  for (const table of PEOPLE) {
    const columns = TABLES[table].key.map((column) => sql.ref(inDatabase(column)));
    const key = sql.join(columns);
    const from = sql.table(inDatabase(table));
    const { numAffectedRows } = await sql`delete from ${from} where (${key}) in
      (select ${key} from ${from} where application_id = ${applicationId} limit ${limit})`.execute(
      db,
    );
    most = Math.max(most, Number(numAffectedRows ?? 0));
  }
  return most;
}
