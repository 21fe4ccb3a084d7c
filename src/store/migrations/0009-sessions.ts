import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/** Sign-ins to the console. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const isPostgres = engine === 'postgres';
  const exact = isPostgres ? sql`text collate "C"` : sql`text`;
  const clustered = isPostgres ? sql`` : sql`without rowid`;
  await sql`create table sessions (
    team_id bigint not null, hash ${exact} not null, user_id bigint not null, key_id bigint not null,
    created_at bigint not null, seen_at bigint not null, primary key (team_id, hash)) ${clustered}`.execute(
    db,
  );
  await db.schema.createIndex('sessions_by_age').on('sessions').column('seen_at').execute();
}
