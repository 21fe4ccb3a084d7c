import { setTimeout } from 'node:timers/promises';

import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';

import { VERSION } from '../lib/runtime/version.ts';
import type { Engine } from './engine.ts';
import { MigrationRefused } from './faults.ts';
import { MIGRATIONS, type Migrations } from './migrations/index.ts';
import type { EngineName } from './schema.ts';

/** PostgreSQL's lock_not_available. */
const NO_LOCK = '55P03';
const MAX_ATTEMPTS = 20;
const RETRY_AFTER_MS = 1_000;

/** Migrates the schema; returns the names of the applied migrations. */
export async function migrate(
  engine: Engine,
  migrations: Migrations = MIGRATIONS,
): Promise<string[]> {
  await engine.prepare?.();
  for (let attempts = 1; ; attempts++) {
    try {
      return await apply(engine, migrations);
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === NO_LOCK;
      if (!isBusy || attempts === MAX_ATTEMPTS) throw error;
      await setTimeout(RETRY_AFTER_MS);
    }
  }
}

async function apply(engine: Engine, migrations: Migrations): Promise<string[]> {
  const { db, name } = engine;
  const isPending = (await pendingMigrations(engine, migrations)).length > 0;
  // Copying a large table takes longer than the statement timeout.
  if (isPending && engine.withoutTimeout) {
    return engine.withoutTimeout((unlimited) => applyAll(migrator(unlimited, name, migrations)));
  }
  return applyAll(migrator(db, name, migrations));
}

async function applyAll(pending: Migrator): Promise<string[]> {
  const { error, results = [] } = await pending.migrateToLatest();
  if (error instanceof Error) throw error;
  if (error) throw new Error('a migration failed', { cause: error });
  return results
    .filter(({ status }) => status === 'Success')
    .map(({ migrationName }) => migrationName);
}

/** The migrations that are not applied yet. Throws MigrationRefused if a newer version migrated the store. */
export async function pendingMigrations(
  engine: Engine,
  migrations: Migrations = MIGRATIONS,
): Promise<string[]> {
  const all = await migrator(engine.db, engine.name, migrations).getMigrations();
  if (all.some(({ executedAt }) => executedAt)) await refuseNewer(engine, migrations);
  return all.filter(({ executedAt }) => !executedAt).map(({ name }) => name);
}

async function refuseNewer({ db }: Engine, migrations: Migrations): Promise<void> {
  const applied = await sql<{ name: string }>`select name from migrations`.execute(db);
  if (applied.rows.every(({ name }) => name in migrations)) return;
  const { rows } = await sql<{ version: string }>`select version from store_version`.execute(db);
  const version = rows[0]?.version ?? 'unknown';
  throw new MigrationRefused(
    `the store was written by version ${version}; run ${version} or newer (this is ${VERSION})`,
  );
}

async function recordVersion(db: Kysely<unknown>): Promise<void> {
  await sql`delete from store_version`.execute(db);
  await sql`insert into store_version (id, version) values (1, ${VERSION})`.execute(db);
}

function migrator(db: Engine['db'], engine: EngineName, migrations: Migrations): Migrator {
  const bound = Object.entries(migrations).map(([name, { up }]) => [
    name,
    {
      up: async (trx: Kysely<unknown>) => {
        if (engine === 'postgres') {
          // Other nodes are running. A waiting table lock blocks all later statements on the table, so wait only
          // briefly.
          await sql`set local lock_timeout = '3s'`.execute(trx);
          await sql`set local statement_timeout = 0`.execute(trx);
        }
        await up(trx, engine);
        await recordVersion(trx);
      },
    },
  ]);
  return new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(Object.fromEntries(bound)) },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  });
}
