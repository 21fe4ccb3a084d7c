import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

/** Ids of recently changed accounts, keys, applications and integrations; see docs/decisions/0035-change-log.md. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  // A number that was pruned must not be given again.
  const number =
    engine === 'postgres'
      ? sql`bigint generated always as identity primary key`
      : sql`integer primary key autoincrement`;
  await sql`create table changes (id ${number}, resource_id bigint not null)`.execute(db);
}
