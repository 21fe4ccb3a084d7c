import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';
import { MigrationRefused } from '../faults.ts';
import { layOut } from './0008-layout.ts';

/** Tables of integrations that did not contain the application. */
const OF_INTEGRATIONS = [
  'lanes',
  'arrivals',
  'parts',
  'watermarks',
  'chat_visitors',
  'chat_entries',
  'chat_files',
] as const;

/**
 * Every row contains its tenant. On PostgreSQL every key starts with it, and messages, attempts and events are
 * partitioned by time.
 */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  if (engine === 'postgres') await refuseWhileAtWork(db);
  for (const table of OF_INTEGRATIONS) {
    await addColumn(db, table, 'application_id');
    await sql`update ${sql.table(table)} set application_id = coalesce((select o.application_id from ownerships o
      where o.integration_id = ${sql.table(table)}.integration_id), 0)`.execute(db);
  }
  await addColumn(db, 'idempotency', 'tenant_id');
  await nameTenants(db, engine);
  await sql`create table emails (email text not null primary key, team_id bigint not null,
    user_id bigint not null)`.execute(db);
  await sql`insert into emails (email, team_id, user_id) select email, team_id, id from users`.execute(
    db,
  );
  await sql`create index emails_by_user on emails (user_id)`.execute(db);
  if (engine === 'postgres') return layOut(db);

  await addColumn(db, 'messages', 'settled_at');
  await sql`update messages set settled_at = updated_at
    where state not in ('queued', 'sending')`.execute(db);
  await sql`drop index messages_by_lane`.execute(db);
  await sql`create index messages_by_lane on messages (application_id, integration_id, recipient, sequence)
    where state = 'queued'`.execute(db);
  await sql`drop index messages_by_object`.execute(db);
  await sql`create index messages_by_object on messages (application_id, integration_id, recipient, object_id, id)
    where object_id is not null`.execute(db);
  await addColumn(db, 'attempts', 'application_id');
  await sql`update attempts set application_id = coalesce((select m.application_id from messages m
    where m.id = attempts.message_id), 0)`.execute(db);
}

/**
 * Refuses to migrate while nodes of the previous version run: they use keys that no longer exist, so all their
 * statements would fail.
 */
async function refuseWhileAtWork(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ host: string; pid: number }>`select host, pid from nodes
    where expires_at > (extract(epoch from clock_timestamp()) * 1000)::bigint`.execute(db);
  const [node] = rows;
  if (!node) return;
  throw new MigrationRefused(
    `nodes of the version before are at work on this database (process ${node.pid} on ${node.host}), and cannot go on with its new tables; stop all of them, and try again after ten seconds`,
  );
}

async function addColumn(db: Kysely<unknown>, table: string, column: string): Promise<void> {
  await db.schema
    .alterTable(table)
    .addColumn(column, 'bigint', (added) => added.notNull().defaultTo(0))
    .execute();
}

/** `application:7 POST /1/message` belongs to that application, `user:2 …` to the team of that user. */
async function nameTenants(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const owner =
    engine === 'postgres'
      ? sql`split_part(split_part(scope, ' ', 1), ':', 2)`
      : sql`substr(scope, instr(scope, ':') + 1, instr(scope, ' ') - instr(scope, ':') - 1)`;
  await sql`update idempotency set tenant_id = cast(${owner} as bigint)
    where scope like 'application:%'`.execute(db);
  await sql`update idempotency set tenant_id = coalesce((select u.team_id from users u
    where u.id = cast(${owner} as bigint)), 0) where scope like 'user:%'`.execute(db);
}
