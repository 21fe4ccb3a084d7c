import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/** Web chat conversations and uploaded files. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const isPostgres = engine === 'postgres';
  const exact = isPostgres ? sql`text collate "C"` : sql`text`;
  const clustered = isPostgres ? sql`` : sql`without rowid`;
  const bytes = isPostgres ? sql`bytea` : sql`blob`;

  await sql`create table chat_visitors (
    integration_id bigint not null, visitor ${exact} not null, last bigint not null, delivered bigint not null,
    read bigint not null, typing_at bigint, created_at bigint not null, seen_at bigint not null,
    primary key (integration_id, visitor)) ${clustered}`.execute(db);
  await db.schema
    .createIndex('chat_visitors_by_age')
    .on('chat_visitors')
    .column('seen_at')
    .execute();

  await sql`create table chat_entries (
    integration_id bigint not null, visitor ${exact} not null, number bigint not null, version bigint not null,
    id ${exact} not null, author text not null, reply bigint, body text, changed_at bigint,
    created_at bigint not null, primary key (integration_id, visitor, number)) ${clustered}`.execute(
    db,
  );
  await sql`create unique index chat_entries_by_id on chat_entries (integration_id, visitor, id)`.execute(
    db,
  );
  await sql`create unique index chat_entries_by_version
    on chat_entries (integration_id, visitor, version)`.execute(db);
  await db.schema
    .createIndex('chat_entries_by_age')
    .on('chat_entries')
    .column('created_at')
    .execute();

  // The bytes come last, so that reading the other columns does not read past them.
  await sql`create table chat_files (
    id ${exact} not null primary key, integration_id bigint not null, visitor ${exact} not null,
    name text not null, media_type text not null, size bigint not null, created_at bigint not null,
    bytes ${bytes} not null)`.execute(db);
  await sql`create index chat_files_by_visitor on chat_files (integration_id, visitor, size)`.execute(
    db,
  );
  await db.schema.createIndex('chat_files_by_age').on('chat_files').column('created_at').execute();
}
