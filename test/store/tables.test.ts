import assert from 'node:assert/strict';
import { it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import { INTERNAL_TABLES, TABLES, inDatabase } from '../../src/store/tables.ts';
import { ENGINES, createDatabase } from '../support/databases.ts';

for (const engine of ENGINES) {
  it(`lists every table of the database with its key (${engine})`, async () => {
    const database = await createDatabase(engine);
    try {
      const store = await openStore(readConfig(database.environment));
      const found = await store.engine.db.introspection.getTables({
        withInternalKyselyTables: true,
      });
      const names = found.map(({ name }) => inDatabase(name));
      await store.close();
      const listed = Object.keys(TABLES).map(inDatabase);
      const known = new Set<string>([...listed, ...INTERNAL_TABLES]);
      assert.deepEqual(
        names.filter((name) => !known.has(name)),
        [],
      );
      assert.deepEqual(
        listed.filter((name) => !names.includes(name)),
        [],
      );
    } finally {
      await database.dispose();
    }
  });
}
