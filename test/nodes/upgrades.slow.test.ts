import assert from 'node:assert/strict';
import { it } from 'node:test';

import { sql } from 'kysely';
import pg from 'pg';

import { migrate } from '../../src/store/migrate.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openEngine } from '../../src/store/open.ts';
import { createDatabase } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/** A migration of a later version. */
const LATER = {
  ...MIGRATIONS,
  '9999-later': {
    up: async (db: Parameters<(typeof MIGRATIONS)[string]['up']>[0]) => {
      await sql`alter table nodes add column zone text not null default 'a'`.execute(db);
    },
  },
};

it('a migration that waits for a table lock does not block running nodes, and completes when the table is free', async () => {
  await using stack = new AsyncDisposableStack();
  const database = await createDatabase('postgres');
  stack.defer(() => database.dispose());
  const url = database.environment['SWITCHBOARD_DATABASE'] ?? '';
  const engine = await openEngine(url);
  stack.defer(() => engine.close());
  await migrate(engine);

  const [busy, other] = [new pg.Client(url), new pg.Client(url)];
  for (const client of [busy, other]) {
    await client.connect();
    stack.defer(() => client.end());
  }
  await busy.query('begin');
  await busy.query('select count(*) from nodes');
  const migrated = migrate(engine, LATER);
  const waiting = `select 1 from pg_stat_activity
    where wait_event_type = 'Lock' and query ilike 'alter table%'`;
  await until('it waits', async () => (await other.query(waiting)).rowCount === 1);
  // A statement of a running node; it queues after the migration, and must complete before the table is free.
  await other.query(
    `insert into nodes (id, host, pid, started_at, expires_at) values ('old', 'h', 1, 1, 1)`,
  );
  await busy.query('commit');
  assert.deepEqual(await migrated, ['9999-later']);
  const { rows } = await sql<{ zone: string }>`select zone from nodes`.execute(engine.db);
  assert.deepEqual(rows, [{ zone: 'a' }]);
});
