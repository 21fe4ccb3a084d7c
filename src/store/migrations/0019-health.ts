import { type Kysely, sql } from 'kysely';

/** The health of integrations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = {
    failures: 'integer',
    failed_at: 'bigint',
    last_error: 'text',
    last_error_reason: 'text',
    last_error_at: 'bigint',
    verified_at: 'bigint',
  } as const;
  for (const [name, type] of Object.entries(columns)) {
    await db.schema.alterTable('ownerships').addColumn(name, type).execute();
  }
  await sql`create index ownerships_failing on ownerships (application_id, integration_id)
    where failing_since is not null`.execute(db);
}
