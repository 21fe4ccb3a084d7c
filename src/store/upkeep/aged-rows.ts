import { type Kysely, type RawBuilder, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { countRows, deleteFromEach, deleteRows } from '../delete-rows.ts';
import type { Schema, Tables } from '../schema.ts';
import { inDatabase } from '../tables.ts';

/** An application with rows past their retention: those from before this time. */
export interface AgedApplication {
  applicationId: Id;
  before: Millis;
}

/** A table whose rows are kept as long as the messages of their application. */
export interface AgedTable {
  /** The time of the oldest row of an application, `f.application_id`. */
  readonly oldest: RawBuilder<unknown>;
  /** Deletes up to `limit` rows; returns how many. */
  remove(trx: Kysely<Schema>, of: AgedApplication, limit: number): Promise<number>;
}

type TimeColumn<Table extends keyof Tables> = keyof Tables[Table] & string;

/**
 * Rows by application and time. All times are positive. The indexes are partial (`>= 0`), so that only statements with
 * this condition use them.
 */
function aged<Table extends keyof Tables>(name: Table, time: TimeColumn<Table>): AgedTable {
  const at = sql.ref(inDatabase(time));
  return {
    oldest: oldestIn(name, time),
    remove: (trx, { applicationId, before }, limit) => {
      const which = sql`application_id = ${applicationId} and ${at} >= 0 and ${at} < ${before}`;
      return deleteRows(trx, name, which, limit);
    },
  };
}

function oldestIn<Table extends keyof Tables>(name: Table, time: TimeColumn<Table>) {
  const at = sql.ref(inDatabase(time));
  return sql`select ${at} from ${sql.table(inDatabase(name))}
    where application_id = f.application_id and ${at} >= 0 order by ${at} limit 1`;
}

/** Visitors stay as long as their conversation. */
const VISITORS: AgedTable = {
  oldest: oldestIn('chatVisitors', 'seenAt'),
  remove: (trx, { applicationId, before }, limit) =>
    countRows(
      trx,
      sql`delete from chat_visitors where (application_id, integration_id, visitor) in
        (select v.application_id, v.integration_id, v.visitor from chat_visitors v
          where v.application_id = ${applicationId} and v.seen_at >= 0 and v.seen_at < ${before}
            and not exists (select 1 from chat_entries e where e.application_id = v.application_id
              and e.integration_id = v.integration_id and e.visitor = v.visitor)
          limit ${limit})`,
    ),
};

/** An import has up to 10,000 errors: they are removed before it, in steps. */
const IMPORTS: AgedTable = {
  oldest: oldestIn('contactImports', 'finishedAt'),
  async remove(trx, { applicationId, before }, limit) {
    // A parameter in place of 0 would hide from SQLite that the index contains these rows.
    const { rows } = await sql<{ id: Id }>`select id from contact_imports
      where application_id = ${applicationId} and finished_at >= 0 and finished_at < ${before}
      order by finished_at limit 1`.execute(trx);
    const [old] = rows;
    if (!old) return 0;
    const own = sql`application_id = ${applicationId} and import_id = ${old.id}`;
    const removed = await deleteFromEach(trx, ['importErrors', 'importBlocks'], own, limit);
    if (removed < limit) {
      await trx
        .deleteFrom('contactImports')
        .where((eb) => eb.and({ applicationId, id: old.id }))
        .execute();
    }
    // There may be another import.
    return limit;
  },
};

export const AGED_TABLES: readonly AgedTable[] = [
  aged('routes', 'closedAt'),
  aged('costs', 'createdAt'),
  aged('watermarks', 'upTo'),
  aged('windows', 'perhapsUntil'),
  aged('poolRecipients', 'updatedAt'),
  aged('conversations', 'lastAt'),
  aged('conversationEvents', 'createdAt'),
  aged('chatFiles', 'createdAt'),
  aged('chatEntries', 'createdAt'),
  VISITORS,
  aged('jobs', 'finishedAt'),
  IMPORTS,
];
