import { setTimeout } from 'node:timers/promises';

import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';

import type { Engine } from './engine.ts';
import { MIGRATIONS } from './migrations/index.ts';

/** PostgreSQL's code for a lock that was not to be had in time. */
const NO_LOCK = '55P03';
const TRIES = 20;
const PAUSE = 1_000;

/** Brings the schema up to date; answers the names of the migrations that were applied. */
export async function migrate(engine: Engine): Promise<string[]> {
  await engine.prepare?.();
  for (let tries = 1; ; tries++) {
    try {
      return await apply(engine);
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === NO_LOCK;
      if (!isBusy || tries === TRIES) throw error;
      await setTimeout(PAUSE);
    }
  }
}

async function apply(engine: Engine): Promise<string[]> {
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
    {
      up: async (db: Kysely<unknown>) => {
        // Other nodes are at work. Whoever waits for a table keeps all who come later from it.
        if (engine.name === 'postgres') await sql`set local lock_timeout = '3s'`.execute(db);
        await up(db, engine.name);
      },
    },
  ]);
  return new Migrator({
    db: engine.db,
    provider: { getMigrations: () => Promise.resolve(Object.fromEntries(bound)) },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  });
}
