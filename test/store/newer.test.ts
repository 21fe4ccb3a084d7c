import assert from 'node:assert/strict';
import { it } from 'node:test';

import { sql } from 'kysely';

import { readConfig } from '../../src/config.ts';
import { VERSION } from '../../src/lib/runtime/version.ts';
import { openWithoutMigrating, openStore } from '../../src/setup.ts';
import { MigrationRefused } from '../../src/store/faults.ts';
import { ENGINES, createDatabase } from '../support/store/databases.ts';

for (const engine of ENGINES) {
  it(`opening a store migrated by a newer version is refused with that version's number (${engine})`, async () => {
    const database = await createDatabase(engine);
    try {
      const config = readConfig(database.environment);
      const store = await openStore(config);
      const { db } = store.engine;
      const { rows } = await sql<{ version: string }>`select version from store_version`.execute(
        db,
      );
      assert.deepEqual(rows, [{ version: VERSION }]);
      await sql`insert into migrations (name, timestamp) values ('9999-later', '2030')`.execute(db);
      await sql`update store_version set version = '9.8.7'`.execute(db);
      await store.close();
      const isRefused = (error: unknown) =>
        error instanceof MigrationRefused && /version 9\.8\.7; run 9\.8\.7/.test(error.message);
      await assert.rejects(openStore(config), isRefused);
      const { store: asItIs } = await openWithoutMigrating(config);
      await assert.rejects(asItIs.pendingMigrations(), isRefused);
      await asItIs.close();
    } finally {
      await database.dispose();
    }
  });
}
