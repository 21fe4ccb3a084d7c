import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/** Links that let people join a team. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const isPostgres = engine === 'postgres';
  const exact = isPostgres ? sql`text collate "C"` : sql`text`;
  const clustered = isPostgres ? sql`` : sql`without rowid`;
  await sql`create table invitations (
    team_id bigint not null, id bigint not null, hash ${exact} not null, email text, invited_by bigint not null,
    created_at bigint not null, expires_at bigint not null, primary key (team_id, id)) ${clustered}`.execute(
    db,
  );
  await sql`create unique index invitations_by_hash on invitations (team_id, hash)`.execute(db);
  await db.schema
    .createIndex('invitations_by_end')
    .on('invitations')
    .column('expires_at')
    .execute();
}
