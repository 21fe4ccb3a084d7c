import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/**
 * In SQLite, a list of more than two values is made into a table each time that a row is held against it, which was most of
 * what it cost to start a message and to record what became of it.
 */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  if (engine !== 'sqlite') return;
  await sql`drop index messages_by_state`.execute(db);
  await sql`create index messages_by_state on messages (application_id, state, created_at, id)
    where state <> 'sent' and state <> 'delivered' and state <> 'read'`.execute(db);
}
