import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** Event feeds and the applications' webhooks. */
export const feed = ({ id, onPostgres, onSqlite }: Dialect): Fragment[] => [
  // The number and time of the last event.
  sql`create table feeds (
    application_id ${id} primary key not null, last bigint not null default 0, last_at bigint not null default 0)`,
  ...onPostgres(
    // Each event updates its feed; with space in the page, the update is HOT and adds no index entry.
    sql`alter table feeds set (fillfactor = 50, autovacuum_vacuum_threshold = 1000,
      autovacuum_vacuum_scale_factor = 0)`,
    sql`create table events (
      application_id bigint not null, id bigint not null, created_at bigint not null, type text not null,
      trace text, media text, data text not null,
      constraint events_key primary key (application_id, id, created_at)) partition by range (created_at)`,
    sql`create table events_rest partition of events default`,
  ),
  ...onSqlite(
    sql`create table events (
      application_id bigint not null, id bigint not null, created_at bigint not null, type text not null,
      trace text, media text, data text not null, primary key (application_id, id)) without rowid`,
  ),

  sql`create table endpoints (
    application_id ${id} primary key not null, integration_id bigint not null, cursor bigint not null,
    rotated_at bigint)`,
  // Rotated secrets that no longer sign.
  sql`create index endpoints_by_rotation on endpoints (rotated_at) where rotated_at is not null`,
];
