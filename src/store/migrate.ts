import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';

import type { Engine } from './engine.ts';
import { MIGRATIONS } from './migrations/index.ts';

/** Brings the schema up to date; answers the names of the migrations that were applied. */
export async function migrate(engine: Engine): Promise<string[]> {
  await engine.prepare?.();
  const { error, results = [] } = await migrator(engine).migrateToLatest();
  if (error instanceof Error) throw error;
  if (error) throw new Error('a migration failed', { cause: error });
  return results
    .filter(({ status }) => status === 'Success')
    .map(({ migrationName }) => migrationName);
}

/** The migrations that are still to be applied. */
export async function pendingMigrations(engine: Engine): Promise<string[]> {
  const migrations = await migrator(engine).getMigrations();
  return migrations.filter(({ executedAt }) => !executedAt).map(({ name }) => name);
}

function migrator(engine: Engine): Migrator {
  const bound = Object.entries(MIGRATIONS).map(([name, { up }]) => [
    name,
    { up: (db: Kysely<unknown>) => up(db, engine.name) },
  ]);
  return new Migrator({
    db: engine.db,
    provider: { getMigrations: () => Promise.resolve(Object.fromEntries(bound)) },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  });
}
