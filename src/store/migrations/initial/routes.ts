import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** The routes of messages that have several; other messages have no rows here. */
export const routes = ({ exact, clustered, application }: Dialect): Fragment[] => [
  sql`create table routes (
    application_id bigint not null, message_id bigint not null, number integer not null, position integer not null,
    via text not null, integration_id bigint not null, pool_id bigint, recipient ${exact} not null, consent_key ${exact}, instructions text, object_id text,
    until text, after_ms bigint, failover_ms bigint, failover_at bigint, state text not null, started_at bigint, deadline bigint, due_at bigint,
    ended_at bigint, closed_at bigint, first_start integer not null default 0, parts_sent integer not null default 0,
    channel_ids text, attempts integer not null default 0, because text, detail text,
    maybe_sent integer not null default 0,
    constraint routes_key primary key (${application}message_id, number))${clustered}`,
  // Routes to check: their deadline has passed, or a delivery report arrived.
  sql`create index routes_due on routes (due_at) where due_at is not null`,
  // The messages that an Update or Delete changes.
  sql`create index routes_by_object on routes (application_id, integration_id, recipient, object_id, message_id)
    where object_id is not null`,
  // Retention.
  sql`create index routes_by_age on routes (application_id, closed_at) where closed_at >= 0`,
];
