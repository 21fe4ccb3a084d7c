import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/** Integration ownership, lanes and attempts. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  // Recipients compare byte by byte; lanes and messages must use the same collation, or no index serves joins.
  const recipient = engine === 'postgres' ? sql`text collate "C"` : 'text';
  if (engine === 'postgres') {
    await sql`alter table messages alter column recipient type text collate "C"`.execute(db);
  }

  for (const [name, type] of [
    ['sequence', 'bigint'],
    ['attempts', 'integer'],
    ['parts_sent', 'integer'],
    ['starts', 'integer'],
  ] as const) {
    await db.schema
      .alterTable('messages')
      .addColumn(name, type, (column) => column.notNull().defaultTo(0))
      .execute();
  }
  for (const [name, type] of [
    ['channel_ids', 'text'],
    ['expires_at', 'bigint'],
    ['reason', 'text'],
    ['detail', 'text'],
  ] as const) {
    await db.schema.alterTable('messages').addColumn(name, type).execute();
  }
  await sql`update messages set sequence = id`.execute(db);
  await sql`create index messages_by_lane on messages (integration_id, recipient, sequence)
    where state = 'queued'`.execute(db);
  await sql`create index messages_by_expiry on messages (expires_at)
    where state = 'queued' and expires_at is not null`.execute(db);

  await db.schema
    .alterTable('applications')
    .addColumn('uncertain', 'text', (column) => column.notNull().defaultTo('resend'))
    .execute();

  await db.schema
    .createTable('lanes')
    .addColumn('integration_id', 'bigint', (column) => column.notNull())
    .addColumn('recipient', recipient, (column) => column.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('message_id', 'bigint')
    .addColumn('reason', 'text')
    .addColumn('version', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('lanes_key', ['integration_id', 'recipient'])
    .execute();
  await sql`create index lanes_due on lanes (integration_id, due_at)
    where due_at is not null`.execute(db);
  if (engine === 'postgres') {
    // Rows come and go with each message: vacuum by their number, not by their share of the table.
    await sql`alter table lanes set (fillfactor = 70, autovacuum_vacuum_threshold = 1000,
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0)`.execute(db);
  }
  await sql`insert into lanes (integration_id, recipient, due_at)
    select integration_id, recipient, min(created_at) from messages where state = 'queued'
    group by integration_id, recipient`.execute(db);

  await db.schema
    .createTable('nodes')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('pid', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('ownerships')
    .addColumn('integration_id', engine === 'postgres' ? 'bigint' : 'integer', (column) =>
      column.primaryKey().notNull(),
    )
    .addColumn('application_id', 'bigint', (column) => column.notNull())
    .addColumn('node', 'text')
    .addColumn('fence', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('paused_reason', 'text')
    .addColumn('paused_detail', 'text')
    .addColumn('paused_until', 'bigint')
    .execute();
  await db.schema.createIndex('ownerships_by_node').on('ownerships').column('node').execute();
  await sql`insert into ownerships (integration_id, application_id)
    select id, application_id from integrations`.execute(db);

  await db.schema
    .createTable('attempts')
    .addColumn('message_id', 'bigint', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('duration', 'integer', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('status', 'text')
    .addColumn('code', 'text')
    .addColumn('detail', 'text')
    .addColumn('request', 'text')
    .addColumn('answer', 'text')
    .addPrimaryKeyConstraint('attempts_key', ['message_id', 'number'])
    .execute();
}
