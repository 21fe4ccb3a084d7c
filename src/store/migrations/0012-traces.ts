import type { Kysely } from 'kysely';

/** The trace that a message and an event belong to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['messages', 'events']) {
    await db.schema.alterTable(table).addColumn('trace', 'text').execute();
  }
}
