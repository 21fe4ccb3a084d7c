import type { Kysely } from 'kysely';

/** An attempt that sent the activity as it is says so, instead of holding it a second time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('attempts')
    .addColumn('with_activity', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
