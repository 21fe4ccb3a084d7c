import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/**
 * What came in and became no event, by type and reason; and by which other addresses people are known, so that one who
 * hides a number stays the same person.
 */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const isPostgres = engine === 'postgres';
  const exact = isPostgres ? sql`text collate "C"` : sql`text`;
  const whose = isPostgres ? sql`application_id, integration_id` : sql`integration_id`;
  const clustered = isPostgres ? sql`` : sql`without rowid`;
  await sql`create table ignored (
    application_id bigint not null, integration_id bigint not null, type ${exact} not null, reason ${exact} not null,
    id bigint not null, count bigint not null, created_at bigint not null, last_at bigint not null,
    primary key (${whose}, type, reason)) ${clustered}`.execute(db);
  await sql`create index ignored_by_first on ignored (application_id, integration_id, created_at, id)`.execute(
    db,
  );
  await sql`create index ignored_by_last on ignored (application_id, integration_id, last_at, id)`.execute(
    db,
  );
  await sql`create table aliases (
    application_id bigint not null, integration_id bigint not null, alias ${exact} not null,
    address ${exact} not null, created_at bigint not null,
    primary key (${whose}, alias)) ${clustered}`.execute(db);
}
