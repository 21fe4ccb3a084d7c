import { type Kysely, sql } from 'kysely';

/** Messages that edit or answer earlier ones, by the caller's object id. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('messages').addColumn('object_id', 'text').execute();
  await db.schema
    .alterTable('messages')
    .addColumn('type', 'text', (column) => column.notNull().defaultTo('Create'))
    .execute();
  await sql`create index messages_by_object on messages (integration_id, recipient, object_id, id)
    where object_id is not null`.execute(db);
}
