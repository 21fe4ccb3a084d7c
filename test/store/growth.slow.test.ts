import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import type { Engine, EngineName } from '../../src/store/engine.ts';
import { MigrationRefused } from '../../src/store/faults.ts';
import { migrate } from '../../src/store/migrate.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openEngine } from '../../src/store/open.ts';
import { ENGINES, createDatabase } from '../support/store/databases.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.now();

/** A database of the version before partitions. */
async function openBefore(name: EngineName) {
  const database = await createDatabase(name);
  const engine = await openEngine(database.environment['SWITCHBOARD_DATABASE'] ?? '');
  const migrations = Object.fromEntries(
    Object.entries(MIGRATIONS).map(([title, { up }]) => [
      title,
      { up: (db: Kysely<unknown>) => up(db, name) },
    ]),
  );
  const { error } = await new Migrator({
    db: engine.db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  }).migrateTo('0007-nodes');
  assert.equal(error, undefined);
  return {
    database,
    engine,
    async [Symbol.asyncDispose]() {
      await engine.close();
      await database.dispose();
    },
  };
}

/** One application with rows in every table of that version. */
async function fill({ db }: Engine): Promise<void> {
  const day = (days: number) => NOW - days * DAY_MS;
  await sql`insert into teams (id, created_at, updated_at, name, owner_id) values (1, 1, 1, 't', 2)`.execute(
    db,
  );
  await sql`insert into users (id, created_at, updated_at, team_id, name, email, state)
    values (2, 1, 1, 1, 'u', 'u@example.com', 'enable')`.execute(db);
  await sql`insert into applications (id, created_at, updated_at, team_id, owner_id, name, state)
    values (4, 1, 1, 1, 2, 'a', 'enable')`.execute(db);
  await sql`insert into feeds (application_id, last) values (4, 2)`.execute(db);
  await sql`insert into integrations (id, created_at, updated_at, application_id, name, state, credentials)
    values (7, 1, 1, 4, 'webhook', 'enable', 'x')`.execute(db);
  await sql`insert into ownerships (integration_id, application_id) values (7, 4)`.execute(db);
  const messages = [
    { id: 1, state: 'sent', at: day(100) },
    { id: 2, state: 'failed', at: day(10) },
    { id: 3, state: 'read', at: day(1) },
    { id: 4, state: 'queued', at: day(40) },
    { id: 5, state: 'sending', at: day(0) },
  ];
  for (const { id, state, at } of messages) {
    await sql`insert into messages (id, created_at, updated_at, application_id, integration_id, recipient, state,
        activity, sequence, starts)
      values (${id}, ${at}, ${at}, 4, 7, 'ada', ${state}, '{}', ${id}, 1)`.execute(db);
    await sql`insert into attempts (message_id, number, started_at, duration, outcome, part)
      values (${id}, 1, ${at}, 1, 'sent', 1)`.execute(db);
  }
  await sql`insert into lanes (integration_id, recipient, message_id) values (7, 'ada', 5)`.execute(
    db,
  );
  for (const [id, at] of [
    [1, day(100)],
    [2, day(1)],
  ]) {
    await sql`insert into events (application_id, id, type, data, created_at)
      values (4, ${id}, 'message.sent', '{}', ${at})`.execute(db);
  }
  await sql`insert into arrivals (integration_id, key, created_at) values (7, 'k', 1)`.execute(db);
  await sql`insert into parts (integration_id, channel_id, message_id, recipient, sent_at, pending, created_at)
    values (7, 'c', 3, 'ada', 1, 0, 1)`.execute(db);
  await sql`insert into watermarks (integration_id, recipient, state, up_to) values (7, 'ada', 'read', 1)`.execute(
    db,
  );
  await sql`insert into chat_visitors (integration_id, visitor, last, delivered, read, created_at, seen_at)
    values (7, 'v', 1, 0, 0, 1, 1)`.execute(db);
  for (const [scope, key] of [
    ['application:4 POST /1/message', 'k'],
    ['user:2 POST /1/applications', 'k'],
  ]) {
    await sql`insert into idempotency (scope, key, hash, created_at) values (${scope}, ${key}, 'h', 1)`.execute(
      db,
    );
  }
}

for (const engine of ENGINES) {
  describe(`a database of the version before partitions (${engine})`, () => {
    it('keeps all its rows in the migration', async () => {
      await using before = await openBefore(engine);
      await fill(before.engine);
      const applied = await migrate(before.engine);
      assert.equal(applied[0], '0008-growth');
      await using stack = new AsyncDisposableStack();
      const store = await openStore(readConfig(before.database.environment));
      stack.defer(() => store.close());

      const { items } = await store.messages.list(4, {}, { limit: 10 });
      const settled = items.map(({ id, settledAt, updatedAt }) => [id, settledAt === updatedAt]);
      assert.deepEqual(
        settled.toSorted(([a], [b]) => Number(a) - Number(b)),
        [
          [1, true],
          [2, true],
          [3, true],
          [4, false],
          [5, false],
        ],
      );
      for (const { id } of items) {
        assert.equal(
          (await store.attempts.list({ applicationId: 4, id, activity: '' })).length,
          1,
          `attempts of ${id}`,
        );
      }
      assert.deepEqual(
        (await store.events.list(4, 0, 9)).map(({ id }) => id),
        [1, 2],
      );
      assert.equal((await store.users.byEmail('u@example.com'))?.id, 2);
      const { db } = store.engine;
      for (const table of ['lanes', 'arrivals', 'parts', 'watermarks', 'chatVisitors'] as const) {
        const rows = await db.selectFrom(table).select('applicationId').execute();
        assert.deepEqual(rows, [{ applicationId: 4 }], table);
      }
      const tenants = await db
        .selectFrom('idempotency')
        .select('tenantId')
        .orderBy('scope')
        .execute();
      assert.deepEqual(tenants, [{ tenantId: 4 }, { tenantId: 1 }]);
      if (engine === 'sqlite') return;
      const { rows } = await sql<{ id: number; name: string }>`
        select id, tableoid::regclass::text as name from messages order by id`.execute(db);
      const names = rows.map(({ name }) => name.replace(/\d{10}$/, 'time'));
      const time = 'messages_time';
      assert.deepEqual(names, ['messages_rest', time, time, 'messages_open', 'messages_open']);
      while (await store.retention.removeOld(NOW, 30 * DAY_MS, 100));
      const left = await store.messages.list(4, {}, { limit: 10 });
      assert.deepEqual(left.items.map(({ id }) => id).toSorted(), [2, 3, 4, 5]);
    });

    if (engine === 'sqlite') return;

    it('is not migrated while nodes of that version are running', async () => {
      await using before = await openBefore(engine);
      await fill(before.engine);
      const { db } = before.engine;
      await sql`insert into nodes (id, host, pid, started_at, expires_at, role)
        values ('old', 'elsewhere', 77, 1, ${Date.now() + 60_000}, 'api')`.execute(db);
      await assert.rejects(
        migrate(before.engine),
        (error: unknown) =>
          error instanceof MigrationRefused && /process 77 on elsewhere/.test(error.message),
      );
      const { rows } = await sql<{
        id: number;
      }>`select message_id as id from attempts order by 1`.execute(db);
      assert.equal(rows.length, 5);
      await sql`update nodes set expires_at = 1`.execute(db);
      assert.equal((await migrate(before.engine))[0], '0008-growth');
    });
  });
}
