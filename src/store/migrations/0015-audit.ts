import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/** The audit log. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const clustered = engine === 'postgres' ? sql`` : sql`without rowid`;
  await sql`create table audit_entries (
    team_id bigint not null, id bigint not null, actor_type text not null, actor_id bigint, actor_name text,
    action text not null, subject_type text not null, subject_id bigint not null, subject_name text,
    application_id bigint, changes text not null, created_at bigint not null,
    primary key (team_id, id)) ${clustered}`.execute(db);
  await sql`create index audit_entries_by_time on audit_entries (team_id, created_at, id)`.execute(
    db,
  );
  await db.schema
    .createIndex('audit_entries_by_age')
    .on('audit_entries')
    .column('created_at')
    .execute();
}
