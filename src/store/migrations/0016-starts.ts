import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/**
 * On PostgreSQL, starting a message changes no index (a HOT update): no index over open messages contains the state,
 * and pages have space for the new row version. Messages in flight are found through their held lanes.
 */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  if (engine !== 'postgres') return;
  await sql`drop index messages_sending, messages_by_lane, messages_by_expiry`.execute(db);
  await sql`alter table messages_open set (fillfactor = 50)`.execute(db);
  // The only index that does not start with the application, so a query that hides the application from the planner
  // uses this one. `sequence > 0` always holds; queries that do not state it cannot use the index.
  await sql`create index messages_by_lane on messages_open (integration_id, recipient, sequence)
    where sequence > 0`.execute(db);
  await sql`create index messages_by_expiry on messages_open (expires_at)
    where expires_at is not null`.execute(db);
  await sql`create index lanes_held on lanes (application_id, integration_id)
    where due_at is null`.execute(db);
}
