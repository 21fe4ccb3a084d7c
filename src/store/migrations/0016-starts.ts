import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/**
 * On PostgreSQL, starting a message changes no index: none of those over open messages names the state, and pages have
 * room for the row as it is then. What is being sent is found by its lane, which is held.
 */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  if (engine !== 'postgres') return;
  await sql`drop index messages_sending, messages_by_lane, messages_by_expiry`.execute(db);
  await sql`alter table messages_open set (fillfactor = 50)`.execute(db);
  // The one that does not begin with the application, so that whoever hides that from the planner means this one. A
  // place is always above zero; saying so keeps everybody else away.
  await sql`create index messages_by_lane on messages_open (integration_id, recipient, sequence)
    where sequence > 0`.execute(db);
  await sql`create index messages_by_expiry on messages_open (expires_at)
    where expires_at is not null`.execute(db);
  await sql`create index lanes_held on lanes (application_id, integration_id)
    where due_at is null`.execute(db);
}
