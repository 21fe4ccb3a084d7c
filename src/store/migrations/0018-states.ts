import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/**
 * In SQLite, `in` with more than two values builds a temporary table each time a row is compared, which was most of
 * the cost of starting a message and of recording its result.
 */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  if (engine !== 'sqlite') return;
  await sql`drop index messages_by_state`.execute(db);
  await sql`create index messages_by_state on messages (application_id, state, created_at, id)
    where state <> 'sent' and state <> 'delivered' and state <> 'read'`.execute(db);
}
