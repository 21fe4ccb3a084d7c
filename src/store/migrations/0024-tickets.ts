import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/** Used tickets, until they would have expired: each opens one socket. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const isPostgres = engine === 'postgres';
  const exact = isPostgres ? sql`text collate "C"` : sql`text`;
  const clustered = isPostgres ? sql`` : sql`without rowid`;
  await sql`create table spent_tickets (hash ${exact} primary key, expires_at bigint not null) ${clustered}`.execute(
    db,
  );
  await sql`create index spent_tickets_by_end on spent_tickets (expires_at)`.execute(db);
}
