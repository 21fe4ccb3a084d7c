import { type Kysely, sql } from 'kysely';

/** Messages that change or answer earlier ones, by what the caller calls those. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('messages').addColumn('object_id', 'text').execute();
  await db.schema
    .alterTable('messages')
    .addColumn('type', 'text', (column) => column.notNull().defaultTo('Create'))
    .execute();
  await sql`create index messages_by_object on messages (integration_id, recipient, object_id, id)
    where object_id is not null`.execute(db);
}
