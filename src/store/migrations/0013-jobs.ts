import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/** Bulk operations on messages. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const clustered = engine === 'postgres' ? sql`` : sql`without rowid`;
  await sql`create table jobs (
    application_id bigint not null, id bigint not null, kind text not null, state text not null,
    filter text not null, wanted text not null, total integer not null, done integer not null,
    orphaned integer not null, changed integer not null, after_at bigint not null, after_id bigint not null,
    node text, created_at bigint not null, updated_at bigint not null, finished_at bigint,
    primary key (application_id, id)) ${clustered}`.execute(db);
  await sql`create index jobs_open on jobs (created_at) where finished_at is null`.execute(db);
  await sql`create index jobs_by_age on jobs (finished_at) where finished_at is not null`.execute(
    db,
  );
}
