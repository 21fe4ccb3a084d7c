import type { Kysely } from 'kysely';

/** The delivery time of a message, which its state no longer tells once it is read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('messages').addColumn('delivered_at', 'bigint').execute();
}
