import { type Kysely, type RawBuilder, sql } from 'kysely';

import { makePartition, partitionFrom } from '../postgres/partition.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Width of a partition, for the default retention. */
const WIDTH_MS = 3 * DAY_MS;
/** Partitions created for existing rows; older rows stay in the rest partition. */
const MAX_PAST_PARTITIONS = 20;

/** Tables whose key now starts with the tenant, and the rest of the key. */
const KEYS = {
  users: ['team_id', 'id'],
  keys: ['team_id', 'id'],
  integrations: ['application_id', 'id'],
  lanes: ['application_id', 'integration_id', 'recipient'],
  ownerships: ['application_id', 'integration_id'],
  arrivals: ['application_id', 'integration_id', 'key'],
  parts: ['application_id', 'integration_id', 'channel_id'],
  watermarks: ['application_id', 'integration_id', 'recipient', 'state'],
  chat_visitors: ['application_id', 'integration_id', 'visitor'],
  chat_entries: ['application_id', 'integration_id', 'visitor', 'number'],
  chat_files: ['application_id', 'id'],
  idempotency: ['tenant_id', 'scope', 'key'],
  purges: ['application_id', 'kind', 'resource_id'],
} as const;

/** Tables that just got the column: it has no default, so that a statement that omits the tenant fails. */
const GIVEN = {
  lanes: 'application_id',
  arrivals: 'application_id',
  parts: 'application_id',
  watermarks: 'application_id',
  chat_visitors: 'application_id',
  chat_entries: 'application_id',
  chat_files: 'application_id',
  idempotency: 'tenant_id',
} as const;

/** The table layout on PostgreSQL; see docs/decisions/0018-partitioning.md. */
export async function layOut(db: Kysely<unknown>): Promise<void> {
  for (const [table, column] of Object.entries(GIVEN)) {
    await db.schema
      .alterTable(table)
      .alterColumn(column, (changed) => changed.dropDefault())
      .execute();
  }
  for (const [table, key] of Object.entries(KEYS)) await setKey(db, table, key);
  await layOutIndexes(db);
  await partitionMessages(db);
  await partitionAttempts(db);
  await partitionEvents(db);
}

async function setKey(db: Kysely<unknown>, table: string, key: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`select conname as name from pg_constraint
    where conrelid = ${table}::regclass and contype = 'p'`.execute(db);
  const before = rows.map(({ name }) => sql`drop constraint ${sql.ref(name)},`);
  const columns = sql.join(key.map((column) => sql.ref(column)));
  await sql`alter table ${sql.table(table)} ${sql.join(before, sql``)}
    add constraint ${sql.ref(`${table}_key`)} primary key (${columns})`.execute(db);
}

async function layOutIndexes(db: Kysely<unknown>): Promise<void> {
  // For lookups before the tenant is known.
  await sql`create index users_by_id on users (id)`.execute(db);
  await sql`create index keys_by_id on keys (id)`.execute(db);
  await sql`create index integrations_by_id on integrations (id)`.execute(db);
  await sql`alter table users drop constraint users_email_key`.execute(db);

  await sql`drop index lanes_due, chat_entries_by_id, chat_entries_by_version, chat_files_by_visitor,
    parts_by_message, parts_by_recipient`.execute(db);
  await sql`create index lanes_due on lanes (application_id, integration_id, due_at)
    where due_at is not null`.execute(db);
  await sql`create unique index chat_entries_by_id
    on chat_entries (application_id, integration_id, visitor, id)`.execute(db);
  await sql`create unique index chat_entries_by_version
    on chat_entries (application_id, integration_id, visitor, version)`.execute(db);
  await sql`create index chat_files_by_visitor
    on chat_files (application_id, integration_id, visitor, size)`.execute(db);
  await sql`create index parts_by_message on parts (application_id, message_id)
    where message_id is not null`.execute(db);
  await sql`create index parts_by_recipient on parts (application_id, integration_id, recipient, sent_at)
    where message_id is not null`.execute(db);
}

/**
 * Queued and in-flight messages are in one partition, whose indexes stay as small as the remaining work; settled
 * messages are in the partition of their time.
 */
async function partitionMessages(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages rename to messages_before`.execute(db);
  await sql`drop index messages_by_application, messages_by_recipient, messages_by_state, messages_by_lane,
    messages_by_expiry, messages_by_object, messages_deliveries`.execute(db);
  await sql`create table messages (
    application_id bigint not null, id bigint not null, settled_at bigint not null, created_at bigint not null,
    updated_at bigint not null, integration_id bigint not null, sequence bigint not null, expires_at bigint,
    attempts integer not null default 0, parts_sent integer not null default 0, starts integer not null default 0,
    type text not null, state text not null, recipient text collate "C" not null, object_id text,
    channel_ids text, reason text, detail text, activity text not null) partition by range (settled_at)`.execute(
    db,
  );
  await sql`create table messages_open partition of messages for values from (0) to (1)
    with (fillfactor = 80, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02,
      autovacuum_vacuum_cost_delay = 0)`.execute(db);
  await sql`create table messages_rest partition of messages default`.execute(db);
  await sql`create index messages_by_application on messages (application_id, created_at, id)`.execute(
    db,
  );
  await sql`create index messages_by_recipient
    on messages (application_id, recipient, created_at, id)`.execute(db);
  await sql`create index messages_by_object on messages (application_id, integration_id, recipient, object_id, id)
    where object_id is not null`.execute(db);
  await sql`create index messages_deliveries on messages (application_id, created_at, id)
    where type = 'Event'`.execute(db);
  // Most messages are sent and nobody searches them by state; the others are few.
  await sql`create index on messages_rest (application_id, state, created_at, id)
    where state not in ('sent', 'delivered', 'read')`.execute(db);
  await sql`create index messages_sending on messages_open (application_id, integration_id)
    where state = 'sending'`.execute(db);
  await sql`create index messages_by_lane on messages_open (application_id, integration_id, recipient, sequence)
    where state = 'queued'`.execute(db);
  await sql`create index messages_by_expiry on messages_open (expires_at)
    where state = 'queued' and expires_at is not null`.execute(db);
  // Created last: among indexes that look equally good, as all do on an empty table, PostgreSQL takes this one.
  await sql`alter table messages add constraint messages_key
    primary key (application_id, id, settled_at)`.execute(db);
  const settled = sql`case when state in ('queued', 'sending') then 0 else greatest(updated_at, 1) end`;
  await makePartitions(db, 'messages', settled);
  await sql`insert into messages (application_id, id, settled_at, created_at, updated_at, integration_id, sequence,
      expires_at, attempts, parts_sent, starts, type, state, recipient, object_id, channel_ids, reason, detail,
      activity)
    select application_id, id, ${settled}, created_at, updated_at, integration_id, sequence, expires_at, attempts,
      parts_sent, starts, type, state, recipient, object_id, channel_ids, reason, detail, activity
    from messages_before`.execute(db);
}

/** Partitioned by start time, so that attempts are kept as long as everything else. */
async function partitionAttempts(db: Kysely<unknown>): Promise<void> {
  await sql`alter table attempts rename to attempts_before`.execute(db);
  await sql`alter table attempts_before drop constraint attempts_key`.execute(db);
  await sql`create table attempts (
    application_id bigint not null, message_id bigint not null, started_at bigint not null, number integer not null,
    duration integer not null, part integer not null, outcome text not null, status text, code text, detail text,
    request text, answer text,
    constraint attempts_key primary key (application_id, message_id, number, started_at))
    partition by range (started_at)`.execute(db);
  await sql`create table attempts_rest partition of attempts default`.execute(db);
  await makePartitions(db, 'attempts', sql`started_at`);
  await sql`insert into attempts (application_id, message_id, started_at, number, duration, part, outcome, status,
      code, detail, request, answer)
    select m.application_id, a.message_id, a.started_at, a.number, a.duration, a.part, a.outcome, a.status,
      a.code, a.detail, a.request, a.answer
    from attempts_before a join messages_before m on m.id = a.message_id`.execute(db);
  await sql`drop table attempts_before, messages_before`.execute(db);
}

async function partitionEvents(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events rename to events_before`.execute(db);
  await sql`create table events (
    application_id bigint not null, id bigint not null, created_at bigint not null, type text not null,
    data text not null, media text, constraint events_key primary key (application_id, id, created_at))
    partition by range (created_at)`.execute(db);
  await sql`create table events_rest partition of events default`.execute(db);
  await makePartitions(db, 'events', sql`created_at`);
  await sql`insert into events (application_id, id, created_at, type, data, media)
    select application_id, id, created_at, type, data, media from events_before`.execute(db);
  await sql`drop table events_before`.execute(db);
}

/** Partitions for existing rows, the present and the near future. */
async function makePartitions(
  db: Kysely<unknown>,
  table: string,
  moment: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<{ oldest: string | null; now: string }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now,
      (select min(moment) from (select ${moment} as moment from ${sql.table(`${table}_before`)}) as one
        where moment > 0) as oldest`.execute(db);
  const now = Number(rows[0]?.now);
  const oldest = Math.max(Number(rows[0]?.oldest ?? now), now - MAX_PAST_PARTITIONS * WIDTH_MS);
  for (let from = startOf(Math.min(oldest, now)); from <= now + WIDTH_MS; from += WIDTH_MS) {
    await makePartition(db, partitionFrom(table, from, WIDTH_MS));
  }
}

const startOf = (moment: number) => Math.floor(moment / WIDTH_MS) * WIDTH_MS;
