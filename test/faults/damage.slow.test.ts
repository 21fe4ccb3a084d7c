import assert from 'node:assert/strict';
import { closeSync, copyFileSync, openSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import { isDamaged } from '../../src/store/faults.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { createDatabase } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const PAGE_BYTES = 4096;
const GARBAGE = Buffer.alloc(PAGE_BYTES, 0xa5);

/** Overwrites the root page of a table, and makes all other connections reread the file. */
function damage(file: string, table: string): void {
  using db = new DatabaseSync(file);
  db.exec('pragma wal_checkpoint(truncate)');
  const root = db.prepare('select rootpage from sqlite_schema where name = ?').get(table);
  const handle = openSync(file, 'r+');
  writeSync(handle, GARBAGE, 0, PAGE_BYTES, (Number(root?.['rootpage']) - 1) * PAGE_BYTES);
  closeSync(handle);
  db.exec('pragma user_version = 1');
}

it('a damaged file stops accepting with 503 and makes the service not ready', async () => {
  await using sb = await startTestService('sqlite');
  const { application, app } = await sb.application();
  await integrate(app, application.id);
  const { body } = await app.post('/1/message', message());
  damage(sb.database.environment['SWITCHBOARD_DATABASE'] ?? '', 'attempts');
  // Once any request has met the damage, nothing is accepted.
  const read = await app.get(`/1/messages/${body.id}/attempts`);
  assert.deepEqual([read.status, read.body.code], [503, 'store_unavailable']);
  const refused = await app.post('/1/message', message());
  assert.deepEqual([refused.status, refused.body.code], [503, 'store_unavailable']);
  const unready = await sb.as(undefined).get('/readyz');
  assert.deepEqual([unready.status, unready.body.code], [503, 'store_unavailable']);
  assert.equal((await sb.as(undefined).get('/healthz')).status, 200);
});

for (const [words, spoil] of [
  ['half of it is missing', (file: string) => truncateSync(file, 40 * PAGE_BYTES)],
  [
    'it is not a database',
    (file: string) => {
      const handle = openSync(file, 'r+');
      writeSync(handle, GARBAGE, 0, PAGE_BYTES, 0);
      closeSync(handle);
    },
  ],
] as const) {
  it(`opening a database file reports damage if ${words}`, async () => {
    const database = await createDatabase('sqlite', { migrated: true });
    try {
      const config = readConfig(database.environment);
      await (await openStore(config)).close();
      spoil(config.database);
      await assert.rejects(openStore(config), isDamaged);
    } finally {
      await database.dispose();
    }
  });
}

it('a start after a crash checks the database file and refuses a damaged one', async () => {
  const database = await createDatabase('sqlite', { migrated: true });
  try {
    const config = readConfig(database.environment);
    const store = await openStore(config);
    damage(config.database, 'attempts');
    // A killed process leaves a write-ahead log behind.
    const left = join(database.folder, 'left.db');
    for (const suffix of ['', '-wal']) copyFileSync(config.database + suffix, left + suffix);
    copyFileSync(`${config.database}.keys`, `${left}.keys`);
    await store.close();
    const config2 = { ...config, database: left };
    await assert.rejects(openStore(config2, { isCheckedAfterCrash: true }), isDamaged);
  } finally {
    await database.dispose();
  }
});

it('an idle service has moved all accepted messages from the log to the database file', async () => {
  await using sb = await startTestService('sqlite');
  const { application, app } = await sb.application();
  await integrate(app, application.id);
  const { body } = await app.post('/1/message', message());
  const file = sb.database.environment['SWITCHBOARD_DATABASE'] ?? '';
  const copy = join(sb.database.folder, 'copy.db');
  await until('a copy of the file alone contains the message', () => {
    copyFileSync(file, copy);
    using db = new DatabaseSync(copy, { readOnly: true });
    return db.prepare('select id from messages where id = ?').get(body.id) !== undefined;
  });
});
