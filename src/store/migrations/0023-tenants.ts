import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/**
 * Indexes for periodic work that scanned whole tables, which took longer with every tenant; see
 * docs/decisions/0028-many-tenants.md.
 */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  await sql`drop index ownerships_by_node`.execute(db);
  await sql`create index ownerships_by_node on ownerships (node, application_id, integration_id)`.execute(
    db,
  );
  await sql`create index ownerships_paused on ownerships (application_id, integration_id)
    where paused_reason is not null`.execute(db);
  await sql`create index endpoints_by_rotation on endpoints (rotated_at)
    where rotated_at is not null`.execute(db);
  await sql`create index watermarks_by_age on watermarks (up_to)`.execute(db);
  await sql`create index purges_by_age on purges (created_at)`.execute(db);
  await sql`create index sign_in_links_by_user on sign_in_links (user_id)`.execute(db);
  await sql`create index sign_in_links_by_expiry on sign_in_links (expires_at)`.execute(db);
  await sql`create index users_by_password on users (id) where password is not null`.execute(db);
  // On PostgreSQL, the primary key starts with the application.
  if (engine === 'sqlite') {
    await sql`create index ownerships_by_application on ownerships (application_id)`.execute(db);
  }
}
