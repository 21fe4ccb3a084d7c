import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/**
 * An index of webhook deliveries. In SQLite, lanes, attempts and idempotency keys become tables without rowid:
 * otherwise each row is in one tree and its key in another, and each message writes to both.
 */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  await sql`create index messages_deliveries on messages (application_id, created_at, id)
    where type = 'Event'`.execute(db);
  if (engine === 'postgres') return;

  await sql`alter table lanes rename to old_lanes`.execute(db);
  await sql`drop index lanes_due`.execute(db);
  await sql`create table lanes (
    integration_id bigint not null, recipient text not null, due_at bigint, message_id bigint, reason text,
    version bigint not null default 0, primary key (integration_id, recipient)) without rowid`.execute(
    db,
  );
  await sql`insert into lanes (integration_id, recipient, due_at, message_id, reason, version)
    select integration_id, recipient, due_at, message_id, reason, version from old_lanes`.execute(
    db,
  );
  await sql`drop table old_lanes`.execute(db);
  await sql`create index lanes_due on lanes (integration_id, due_at) where due_at is not null`.execute(
    db,
  );

  await sql`alter table attempts rename to old_attempts`.execute(db);
  await sql`create table attempts (
    message_id bigint not null, number integer not null, started_at bigint not null, duration integer not null,
    outcome text not null, part integer not null, status text, code text, detail text, request text, answer text,
    primary key (message_id, number)) without rowid`.execute(db);
  await sql`insert into attempts
    (message_id, number, started_at, duration, outcome, part, status, code, detail, request, answer)
    select message_id, number, started_at, duration, outcome, part, status, code, detail, request, answer
    from old_attempts`.execute(db);
  await sql`drop table old_attempts`.execute(db);

  await sql`alter table idempotency rename to old_idempotency`.execute(db);
  await sql`drop index idempotency_by_age`.execute(db);
  await sql`create table idempotency (
    scope text not null, key text not null, hash text not null, message_ids text, answer text,
    created_at bigint not null, primary key (scope, key)) without rowid`.execute(db);
  await sql`insert into idempotency (scope, key, hash, message_ids, answer, created_at)
    select scope, key, hash, message_ids, answer, created_at from old_idempotency`.execute(db);
  await sql`drop table old_idempotency`.execute(db);
  await sql`create index idempotency_by_age on idempotency (created_at)`.execute(db);
}
