import type { Kysely } from 'kysely';

/** What each node is there for. Those of an earlier version, which do not say it, deliver. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('nodes')
    .addColumn('role', 'text', (column) => column.notNull().defaultTo('all'))
    .execute();
}
