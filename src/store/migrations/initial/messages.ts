import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** The outbox, attempts, idempotency keys and bulk operations. */
export const messages = (dialect: Dialect): Fragment[] => [
  ...dialect.onSqlite(...SQLITE_OUTBOX),
  ...dialect.onPostgres(...POSTGRES_OUTBOX),
  // The two kinds of rows in the outbox; see docs/decisions/0036-outbox.md. A new column must be added to both views.
  sql`create view messages as select * from outbox where type <> 'Event'`,
  sql`create view webhook_deliveries as select * from outbox where type = 'Event'`,

  // Answers to repeated requests.
  sql`create table idempotency (
    tenant_id bigint not null, scope text not null, key text not null, hash text not null, message_ids text,
    response text, created_at bigint not null,
    constraint idempotency_key primary key (${dialect.tenant}scope, key))${dialect.clustered}`,
  // Removing old keys.
  sql`create index idempotency_by_age on idempotency (created_at)`,

  // Bulk operations.
  sql`create table jobs (
    application_id bigint not null, id bigint not null, kind text not null, state text not null,
    filter text not null, wanted text not null, total integer not null, done integer not null,
    orphaned integer not null, changed integer not null, after_at bigint not null, after_id bigint not null,
    node text, created_at bigint not null, updated_at bigint not null, finished_at bigint,
    primary key (application_id, id))${dialect.clustered}`,
  // The next job to work on.
  sql`create index jobs_open on jobs (created_at) where finished_at is null`,
  // Retention.
  sql`create index jobs_by_age on jobs (application_id, finished_at) where finished_at >= 0`,
];

/** The long activity comes last, so that reading other columns does not read past it. */
const SQLITE_OUTBOX = [
  sql`create table outbox (
    id integer primary key not null, application_id bigint not null, integration_id bigint not null,
    created_at bigint not null, updated_at bigint not null, settled_at bigint not null default 0,
    sequence bigint not null, due_at bigint, expires_at bigint, delivered_at bigint,
    attempts integer not null default 0,
    parts_sent integer not null default 0, starts integer not null default 0, route integer, type text not null,
    state text not null, recipient text not null, object_id text, channel_ids text, reason text, detail text,
    trace text, category text, consent_key text, instructions text, activity text not null)`,
  // The messages of an application, newest first.
  sql`create index outbox_by_application on outbox (application_id, created_at, id)`,
  /*
   * The messages to a recipient, newest first. Those that were scheduled have their own index: with a million of them in
   * the same index, accepting a message takes a third more work, because it reads and writes more pages.
   */
  sql`create index outbox_by_recipient on outbox (application_id, recipient, created_at, id)
    where due_at is null`,
  sql`create index outbox_scheduled_to on outbox (application_id, recipient, created_at, id)
    where due_at is not null`,
  /*
   * The messages in a state, newest first. Most messages are sent, and are not searched by state; the others are few.
   * Not `state not in (…)`: with more than two values, SQLite builds a temporary table each time it compares a
   * row, which was most of the cost of starting a message and of recording its result.
   */
  sql`create index outbox_by_state on outbox (application_id, state, created_at, id)
    where state <> 'sent' and state <> 'delivered' and state <> 'read'`,
  // The first queued message of a lane.
  sql`create index outbox_by_lane on outbox (application_id, integration_id, recipient, sequence)
    where state = 'queued'`,
  // Queued messages that expire.
  sql`create index outbox_by_expiry on outbox (expires_at)
    where state = 'queued' and expires_at is not null`,
  // Scheduled messages, in the order in which they leave; and those of an integration.
  sql`create index outbox_by_due on outbox (due_at, id) where state = 'scheduled'`,
  sql`create index outbox_by_integration on outbox (integration_id, id) where state = 'scheduled'`,
  // The earlier message that an edit, a deletion or a reply refers to by the caller's object id.
  sql`create index outbox_by_object on outbox (application_id, integration_id, recipient, object_id, id)
    where object_id is not null`,
  // The webhook deliveries of an application, newest first.
  sql`create index outbox_deliveries on outbox (application_id, created_at, id) where type = 'Event'`,

  sql`create table attempts (
    application_id bigint not null, message_id bigint not null, number integer not null,
    started_at bigint not null, duration integer not null, part integer not null,
    with_activity integer not null default 0, outcome text not null, status text, code text, detail text,
    request text, answer text, primary key (message_id, number)) without rowid`,
];

/** See docs/decisions/0018-partitioning.md. */
const POSTGRES_OUTBOX = [
  sql`create table outbox (
    application_id bigint not null, id bigint not null, settled_at bigint not null, created_at bigint not null,
    updated_at bigint not null, integration_id bigint not null, sequence bigint not null, due_at bigint,
    expires_at bigint, delivered_at bigint, attempts integer not null default 0, parts_sent integer not null default 0,
    starts integer not null default 0, route integer, type text not null, state text not null,
    recipient text collate "C" not null, object_id text, channel_ids text, reason text, detail text, trace text,
    category text, consent_key text collate "C", instructions text, activity text not null) partition by range (settled_at)`,
  /*
   * Queued and in-flight messages are in one partition, whose indexes stay as small as the remaining work; settled
   * messages are in the partition of their time. Pages of open messages are half empty: a start changes no indexed
   * column, so with space in its page it is a HOT update, which adds no index entry. For that, no index over open
   * messages may contain the state; messages in flight are found through their held lanes.
   */
  sql`create table outbox_open partition of outbox for values from (0) to (1)
    with (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02,
      autovacuum_vacuum_cost_delay = 0)`,
  // Scheduled messages, which would slow down the partition of open ones. Retention keeps them.
  sql`create table outbox_scheduled partition of outbox for values from (-1) to (0)`,
  sql`create table outbox_rest partition of outbox default`,
  // The messages of an application, newest first.
  sql`create index outbox_by_application on outbox (application_id, created_at, id)`,
  // The messages to a recipient, newest first.
  sql`create index outbox_by_recipient on outbox (application_id, recipient, created_at, id)`,
  // The earlier message that an edit, a deletion or a reply refers to by the caller's object id.
  sql`create index outbox_by_object on outbox (application_id, integration_id, recipient, object_id, id)
    where object_id is not null`,
  // The webhook deliveries of an application, newest first.
  sql`create index outbox_deliveries on outbox (application_id, created_at, id) where type = 'Event'`,
  // Settled messages in a state, newest first. Most are sent, and are not searched by state; the others are few.
  sql`create index on outbox_rest (application_id, state, created_at, id)
    where state not in ('sent', 'delivered', 'read')`,
  // Created after the others: of indexes with the same cost, as all have on an empty table, PostgreSQL takes the newest.
  sql`alter table outbox add constraint outbox_key primary key (application_id, id, settled_at)`,
  /*
   * The first queued message of a lane. The only index that does not start with the application, so a query that hides
   * the application from the planner uses this one. `sequence > 0` always holds; queries that do not state it cannot
   * use the index.
   */
  sql`create index outbox_by_lane on outbox_open (integration_id, recipient, sequence) where sequence > 0`,
  // Queued messages that expire.
  sql`create index outbox_by_expiry on outbox_open (expires_at) where expires_at is not null`,
  // Scheduled messages, in the order in which they leave; and those of an integration.
  sql`create index outbox_by_due on outbox_scheduled (due_at, id) where due_at > 0`,
  sql`create index outbox_by_integration on outbox_scheduled (integration_id, id) where sequence > 0`,

  // Partitioned by start time, so that attempts are kept as long as everything else.
  sql`create table attempts (
    application_id bigint not null, message_id bigint not null, started_at bigint not null,
    number integer not null, duration integer not null, part integer not null,
    with_activity integer not null default 0, outcome text not null, status text, code text, detail text,
    request text, answer text,
    constraint attempts_key primary key (application_id, message_id, number, started_at))
    partition by range (started_at)`,
  sql`create table attempts_rest partition of attempts default`,
];
