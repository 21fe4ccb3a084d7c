import assert from 'node:assert/strict';
import { it } from 'node:test';

import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';

import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openSqlite } from '../../src/store/sqlite/engine.ts';
import { createDatabase } from '../support/store/databases.ts';

it('migrations keep lanes, attempts and idempotency keys when they recreate their tables', async () => {
  const database = await createDatabase('sqlite');
  const engine = openSqlite(database.environment['SWITCHBOARD_DATABASE'] ?? '');
  try {
    const { db } = engine;
    const migrations = Object.fromEntries(
      Object.entries(MIGRATIONS).map(([name, { up }]) => [
        name,
        { up: (given: Kysely<unknown>) => up(given, 'sqlite') },
      ]),
    );
    const migrator = new Migrator({
      db,
      provider: { getMigrations: () => Promise.resolve(migrations) },
    });
    const before = await migrator.migrateTo('0005-chat');
    assert.equal(before.error, undefined);
    await sql`insert into lanes (integration_id, recipient, due_at, version) values (1, 'a', 5, 7)`.execute(
      db,
    );
    await sql`insert into attempts (message_id, number, started_at, duration, outcome, part, detail)
      values (1, 1, 2, 3, 'sent', 1, 'words')`.execute(db);
    await sql`insert into idempotency (scope, key, hash, created_at) values ('s', 'k', 'h', 9)`.execute(
      db,
    );
    const after = await migrator.migrateToLatest();
    assert.equal(after.error, undefined);
    const rows = async (table: 'lanes' | 'attempts' | 'idempotency') =>
      db.selectFrom(table).selectAll().execute();
    assert.partialDeepStrictEqual(await rows('lanes'), [
      { integrationId: 1, recipient: 'a', dueAt: 5, version: 7 },
    ]);
    assert.partialDeepStrictEqual(await rows('attempts'), [
      { messageId: 1, number: 1, outcome: 'sent', detail: 'words' },
    ]);
    assert.partialDeepStrictEqual(await rows('idempotency'), [
      { scope: 's', key: 'k', hash: 'h', createdAt: 9 },
    ]);
  } finally {
    await engine.close();
    await database.dispose();
  }
});
