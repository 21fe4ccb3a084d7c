import type { Kysely } from 'kysely';

/** When a message was reported to have arrived: once it is read, nothing else would say it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('messages').addColumn('delivered_at', 'bigint').execute();
}
