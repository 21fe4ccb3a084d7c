import type { Kysely } from 'kysely';

/** The ring keys of each node, and the version that last migrated the store. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('nodes').addColumn('ring', 'text').execute();
  await db.schema
    .createTable('store_version')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('version', 'text', (column) => column.notNull())
    .execute();
}
