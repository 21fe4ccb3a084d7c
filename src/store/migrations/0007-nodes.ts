import type { Kysely } from 'kysely';

/** The role of each node. Nodes of earlier versions, which have none, deliver. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('nodes')
    .addColumn('role', 'text', (column) => column.notNull().defaultTo('all'))
    .execute();
}
