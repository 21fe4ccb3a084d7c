import type { Kysely } from 'kysely';

/** Which trace a message and an event belong to, where that is traced. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['messages', 'events']) {
    await db.schema.alterTable(table).addColumn('trace', 'text').execute();
  }
}
