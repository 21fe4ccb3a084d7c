import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/** Event feeds, webhooks, delivery reports and webhook URLs of channels. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const id = engine === 'postgres' ? 'bigint' : 'integer';
  // Vendor ids compare byte by byte.
  const exact = engine === 'postgres' ? sql`text collate "C"` : sql`text`;
  // One tree instead of two where rows are only found by their key.
  const clustered = engine === 'postgres' ? sql`` : sql`without rowid`;

  await db.schema
    .createTable('feeds')
    .addColumn('application_id', id, (column) => column.primaryKey().notNull())
    .addColumn('last', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`insert into feeds (application_id) select id from applications`.execute(db);
  await sql`create table events (
    application_id bigint not null, id bigint not null, type text not null, data text not null, media text,
    created_at bigint not null, primary key (application_id, id)) ${clustered}`.execute(db);
  if (engine === 'postgres') {
    // Each event updates its feed; with space in the page, the update is HOT and adds no index entry.
    await sql`alter table feeds set (fillfactor = 50, autovacuum_vacuum_threshold = 1000,
      autovacuum_vacuum_scale_factor = 0)`.execute(db);
  }

  await db.schema
    .createTable('endpoints')
    .addColumn('application_id', id, (column) => column.primaryKey().notNull())
    .addColumn('integration_id', 'bigint', (column) => column.notNull())
    .addColumn('cursor', 'bigint', (column) => column.notNull())
    .addColumn('rotated_at', 'bigint')
    .execute();

  await sql`create table arrivals (
    integration_id bigint not null, key ${exact} not null, created_at bigint not null,
    primary key (integration_id, key)) ${clustered}`.execute(db);
  await db.schema.createIndex('arrivals_by_age').on('arrivals').column('created_at').execute();

  await sql`create table parts (
    integration_id bigint not null, channel_id ${exact} not null, message_id bigint, recipient ${exact},
    sent_at bigint, state text, code text, detail text, pending integer not null, created_at bigint not null,
    primary key (integration_id, channel_id)) ${clustered}`.execute(db);
  await sql`create index parts_by_message on parts (message_id) where message_id is not null`.execute(
    db,
  );
  await sql`create index parts_by_recipient on parts (integration_id, recipient, sent_at)
    where message_id is not null`.execute(db);
  await sql`create index parts_pending on parts (message_id)
    where pending = 1 and message_id is not null`.execute(db);
  await db.schema.createIndex('parts_by_age').on('parts').column('created_at').execute();

  await sql`create table watermarks (
    integration_id bigint not null, recipient ${exact} not null, state text not null, up_to bigint not null,
    primary key (integration_id, recipient, state)) ${clustered}`.execute(db);

  await db.schema.alterTable('integrations').addColumn('hook', 'text').execute();
  await db.schema.alterTable('integrations').addColumn('registered_at', 'bigint').execute();
  await db.schema.alterTable('integrations').addColumn('cursor', 'text').execute();
  await db.schema.alterTable('ownerships').addColumn('failing_since', 'bigint').execute();
}
