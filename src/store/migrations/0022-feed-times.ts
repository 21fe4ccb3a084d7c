import { type Kysely, sql } from 'kysely';

/** The time of the last event of each feed; later events are not dated earlier. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table feeds add column last_at bigint not null default 0`.execute(db);
  await sql`update feeds set last_at = coalesce((select e.created_at from events e
    where e.application_id = feeds.application_id and e.id = feeds.last), 0)`.execute(db);
}
