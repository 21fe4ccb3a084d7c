import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/** Counts of wrong passwords, addresses that users sign in from, and the creators of keys. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const isPostgres = engine === 'postgres';
  const exact = isPostgres ? sql`text collate "C"` : sql`text`;
  const clustered = isPostgres ? sql`` : sql`without rowid`;
  await sql`create table guesses (slot integer primary key not null, until bigint not null)`.execute(
    db,
  );
  await sql`create table sign_in_addresses (
    team_id bigint not null, user_id bigint not null, address ${exact} not null, until bigint not null,
    seen_at bigint not null, primary key (team_id, user_id, address)) ${clustered}`.execute(db);
  await db.schema.alterTable('keys').addColumn('created_by', 'bigint').execute();
  await db.schema.alterTable('keys').addColumn('label', 'text').execute();
  await sql`create index keys_by_creator on keys (team_id, kind, created_by, created_at, id)
    where created_by is not null`.execute(db);
}
