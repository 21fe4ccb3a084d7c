import type { Kysely } from 'kysely';

/** An attempt that sent the activity unchanged refers to it instead of storing it again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('attempts')
    .addColumn('with_activity', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
