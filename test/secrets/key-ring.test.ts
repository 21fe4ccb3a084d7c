import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import { formatKeyRing, generateRingKey, parseKeyRing } from '../../src/lib/crypto/seal.ts';
import { openStore } from '../../src/setup.ts';
import { integrate } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES, createDatabase } from '../support/store/databases.ts';

for (const engine of ENGINES) {
  it(`a store does not open with the wrong key ring and says so (${engine})`, async () => {
    const database = await createDatabase(engine);
    try {
      const config = readConfig(database.environment);
      await (await openStore(config)).close();
      const wrong = { ...config, secretKeys: [generateRingKey()] };
      await assert.rejects(openStore(wrong), /^ConfigError: SWITCHBOARD_SECRET_KEYS: /);
      await (await openStore(config)).close();
    } finally {
      await database.dispose();
    }
  });

  it(`a key that only some nodes have encrypts nothing before the rotation (${engine})`, async () => {
    const [older, newer] = [generateRingKey(), generateRingKey()];
    const database = await createDatabase(engine);
    try {
      const environment = { SWITCHBOARD_SECRET_KEYS: formatKeyRing([older]) };
      await using first = await startTestService(engine, { database, environment });
      const { application } = await first.application();
      const both = { SWITCHBOARD_SECRET_KEYS: formatKeyRing([newer, older]) };
      await using second = await startTestService(engine, { database, environment: both });
      const token = await second.applicationToken(application.id, first.team.id);
      const made = await integrate(second.as(token), application.id, { secret: 'readable' });
      const { status, body } = await first.as(token).get(`/1/integrations/${made.id}`);
      assert.deepEqual([status, body.secret], [200, 'readable']);
    } finally {
      await database.dispose();
    }
  });

  it(`the key ring rotates while requests run (${engine})`, async () => {
    const old = generateRingKey();
    const database = await createDatabase(engine);
    try {
      const environment = { SWITCHBOARD_SECRET_KEYS: formatKeyRing([old]) };
      await using first = await startTestService(engine, { database, environment });
      const { application, app } = await first.application();
      const integration = await integrate(app, application.id, { secret: 'kept' });
      const path = `/1/applications/${application.id}/integrations`;

      // Every node first gets the new key, as in a rolling restart; then everything is re-encrypted.
      const made = generateRingKey();
      const both = { SWITCHBOARD_SECRET_KEYS: formatKeyRing([made, old]) };
      await using second = await startTestService(engine, { database, environment: both });
      const elsewhere = second.as(app.token);
      let rotating = true;
      const requests = (async () => {
        let count = 0;
        while (rotating) {
          const { status, body } = await elsewhere.get(path);
          assert.deepEqual([status, body.data.at(-1).secret], [200, 'kept']);
          await integrate(elsewhere, application.id, { token: `t${count++}` });
        }
        return count;
      })();
      const resealed = await second.store.resealAll();
      rotating = false;
      assert.ok(resealed > 2);
      assert.ok((await requests) > 0);

      await using third = await startTestService(engine, {
        database,
        environment: { SWITCHBOARD_SECRET_KEYS: formatKeyRing([made]) },
      });
      const { body } = await third.as(app.token).get(`/1/integrations/${integration.id}`);
      assert.equal(body.secret, 'kept', 'the old key is no longer needed');
    } finally {
      await database.dispose();
    }
  });
}

it('an embedded store without its key ring file does not start with a new one', async () => {
  const database = await createDatabase('sqlite');
  try {
    const config = readConfig(database.environment);
    await (await openStore(config)).close();
    const file = `${config.database}.keys`;
    const ring = readFileSync(file, 'utf8');
    renameSync(file, `${file}.away`);
    await assert.rejects(openStore(config), /\.keys: /);
    assert.throws(() => readFileSync(file), 'no key ring was created');
    writeFileSync(file, 'nonsense');
    await assert.rejects(openStore(config), /\.keys: .*key 1 /);
    writeFileSync(file, formatKeyRing([generateRingKey(), ...parseKeyRing(ring)]));
    await (await openStore(config)).close();
  } finally {
    await database.dispose();
  }
});

it('PostgreSQL requires a key ring in the settings', async () => {
  const database = await createDatabase('postgres');
  try {
    const { SWITCHBOARD_SECRET_KEYS: _, ...without } = database.environment;
    await assert.rejects(openStore(readConfig(without)), /^ConfigError: SWITCHBOARD_SECRET_KEYS: /);
  } finally {
    await database.dispose();
  }
});
