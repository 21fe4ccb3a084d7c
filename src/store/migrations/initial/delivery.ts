import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** Lanes, and the counts of messages. */
export const delivery = ({ exact, clustered, application, onPostgres }: Dialect): Fragment[] => [
  sql`create table lanes (
    application_id bigint not null, integration_id bigint not null, recipient ${exact} not null, due_at bigint,
    message_id bigint, version bigint not null default 0, reason text,
    constraint lanes_key primary key (${application}integration_id, recipient))${clustered}`,
  // The due lanes of an integration, oldest first, and the integrations that have any.
  sql`create index lanes_due on lanes (${application}integration_id, due_at) where due_at is not null`,
  ...onPostgres(
    // The lanes of an integration whose message is in flight.
    sql`create index lanes_held on lanes (application_id, integration_id) where due_at is null`,
    // Rows come and go with each message: vacuum by their number, not by their share of the table.
    sql`alter table lanes set (fillfactor = 70, autovacuum_vacuum_threshold = 1000,
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0)`,
  ),

  // Message counts by integration, minute and hour.
  sql`create table statistics (
    application_id bigint not null, step text not null, at bigint not null, integration_id bigint not null,
    channel text not null, sandbox bigint not null, last_sent_at bigint not null default 0,
    ${sql.join(COUNTS)}, primary key (application_id, step, at, integration_id, sandbox))${clustered}`,
  // Retention, and the totals of all applications since a time.
  sql`create index statistics_by_age on statistics (step, at)`,
];

const COUNTS = [
  'accepted',
  'sent',
  'delivered',
  'read',
  'failed',
  'uncertain',
  'canceled',
  'expired',
  'suppressed',
  'received',
  ...Array.from({ length: 16 }, (_unused, i) => `latency${i}`),
].map((name) => sql`${sql.ref(name)} integer not null default 0`);
