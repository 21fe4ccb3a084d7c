import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/** Accounts, applications, integrations, keys, accepted messages and idempotency records. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  // In SQLite, only INTEGER makes the primary key an alias of the rowid.
  const id = engine === 'postgres' ? 'bigint' : 'integer';
  const dated = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('id', id, (column) => column.primaryKey().notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull());

  await createSequences(db, engine);

  await dated('teams')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('owner_id', 'bigint', (column) => column.notNull())
    .execute();

  await dated('users')
    .addColumn('team_id', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('password', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('users_by_team')
    .on('users')
    .columns(['team_id', 'created_at', 'id'])
    .execute();

  await db.schema
    .createTable('sign_in_links')
    .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();

  await dated('keys')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('resource_id', 'bigint', (column) => column.notNull())
    .addColumn('team_id', 'bigint', (column) => column.notNull())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('keys_by_team')
    .on('keys')
    .columns(['team_id', 'kind', 'created_at', 'id'])
    .execute();
  await db.schema
    .createIndex('keys_by_resource')
    .on('keys')
    .columns(['kind', 'resource_id'])
    .execute();
  await db.schema
    .createIndex('keys_by_expiry')
    .on('keys')
    .column('expires_at')
    .where(sql.ref('expires_at'), 'is not', null)
    .execute();

  await dated('applications')
    .addColumn('team_id', 'bigint', (column) => column.notNull())
    .addColumn('owner_id', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('webhook_url', 'text')
    .execute();
  await db.schema
    .createIndex('applications_by_team')
    .on('applications')
    .columns(['team_id', 'created_at', 'id'])
    .execute();

  await dated('integrations')
    .addColumn('application_id', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('credentials', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('integrations_by_application')
    .on('integrations')
    .columns(['application_id', 'created_at', 'id'])
    .execute();

  await dated('messages')
    .addColumn('application_id', 'bigint', (column) => column.notNull())
    .addColumn('integration_id', 'bigint', (column) => column.notNull())
    .addColumn('recipient', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('activity', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('messages_by_application')
    .on('messages')
    .columns(['application_id', 'created_at', 'id'])
    .execute();
  await db.schema
    .createIndex('messages_by_recipient')
    .on('messages')
    .columns(['application_id', 'recipient', 'created_at', 'id'])
    .execute();
  // Most messages are sent and nobody searches them by state; the others are few.
  await sql`create index messages_by_state on messages (application_id, state, created_at, id)
    where state not in ('sent', 'delivered', 'read')`.execute(db);

  await db.schema
    .createTable('idempotency')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('message_ids', 'text')
    .addColumn('answer', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_key', ['scope', 'key'])
    .execute();
  await db.schema
    .createIndex('idempotency_by_age')
    .on('idempotency')
    .column('created_at')
    .execute();

  await db.schema
    .createTable('purges')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('resource_id', 'bigint', (column) => column.notNull())
    .addColumn('application_id', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('purges_key', ['kind', 'resource_id'])
    .execute();

  await db.schema
    .createTable('ring_marker')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .execute();
}

/**
 * Ids come from sequences and are never derived from stored rows, so that none is reused. Accounts share one
 * sequence, so an id of one kind is never an id of another.
 */
async function createSequences(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  if (engine === 'postgres') {
    await sql`create sequence account_ids`.execute(db);
    await sql`create sequence message_ids`.execute(db);
    return;
  }
  await sql`create table sequences (name text primary key, last integer not null)`.execute(db);
  await sql`insert into sequences (name, last) values ('account_ids', 0), ('message_ids', 0)`.execute(
    db,
  );
}
