import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';

import { ConfigError, readConfig } from '../../src/config.ts';
import { formatKeyRing, generateRingKey } from '../../src/lib/crypto/seal.ts';
import { openStore } from '../../src/setup.ts';
import { createDatabase } from '../support/store/databases.ts';

for (const [words, lose] of [
  ['missing', () => {}],
  ['empty', (file: string) => writeFileSync(file, '')],
] as const) {
  it(`the service refuses to start if the database is ${words} beside its key ring file, unless configured to replace it`, async () => {
    const database = await createDatabase('sqlite', { migrated: true });
    try {
      const config = readConfig(database.environment);
      await (await openStore(config)).close();
      rmSync(config.database);
      lose(config.database);
      const wasThere = existsSync(config.database);
      await assert.rejects(openStore(config), ConfigError);
      assert.equal(existsSync(config.database), wasThere, 'no file is created');
      const anew = readConfig({ ...database.environment, SWITCHBOARD_LOST_DATABASE: 'replace' });
      await (await openStore(anew)).close();
      await (await openStore(config)).close();
    } finally {
      await database.dispose();
    }
  });
}

it('a missing database with the key ring in the environment is a first start', async () => {
  const database = await createDatabase('sqlite');
  try {
    const SWITCHBOARD_SECRET_KEYS = formatKeyRing([generateRingKey()]);
    const config = readConfig({ ...database.environment, SWITCHBOARD_SECRET_KEYS });
    await (await openStore(config)).close();
    rmSync(config.database);
    await (await openStore(config)).close();
  } finally {
    await database.dispose();
  }
});
