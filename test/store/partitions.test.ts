import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sql } from 'kysely';
import pg from 'pg';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import type { Store } from '../../src/store/store.ts';
import { type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { ownIntegration } from '../support/store/dispatch.ts';
import { somebodyWaits } from '../support/store/locks.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RETENTION_MS = 30 * DAY_MS;

describe('creating partitions while messages are sent (PostgreSQL)', () => {
  let database: TestDatabase;
  let store: Store;
  let client: pg.Client;
  before(async () => {
    database = await createDatabase('postgres', { migrated: true });
    store = await openStore(readConfig(database.environment));
    client = new pg.Client(database.environment['SWITCHBOARD_DATABASE']);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await store.close();
    await database.dispose();
  });

  /**
   * Starts `read`, and holds it while it is planned: it has the list of partitions and waits for an index of one of
   * them. Lets it continue after `meanwhile`.
   */
  async function duringRead<Found>(
    table: string,
    read: () => Promise<Found>,
    meanwhile: () => Promise<unknown>,
  ): Promise<Found> {
    const { rows } = await client.query<{ name: string }>(
      `select min(relname) as name from pg_class where relispartition and relkind = 'i' and relname ~ $1`,
      [`^${table}_[0-9]{10}_pkey$`],
    );
    await client.query('begin');
    await client.query(`reindex index ${rows[0]?.name}`);
    const reading = read();
    await somebodyWaits(store);
    await meanwhile();
    await client.query('rollback');
    return reading;
  }

  it('a read that started before finds an event that was stored without a partition', async () => {
    const { applicationId } = await ownIntegration(store);
    const now = Date.UTC(2041, 4, 1, 12, 30);
    const event = { applicationId, type: 'message.sent', data: '{}', media: null } as const;
    await store.events.append([{ ...event, createdAt: now }]);
    const found = await duringRead(
      'events',
      () => store.events.get(applicationId, 1),
      () => store.retention.prepare(now, RETENTION_MS),
    );
    assert.equal(found?.id, 1);

    await store.retention.prepare(now, RETENTION_MS);
    const { rows } = await sql<{ name: string | null }>`
      select to_regclass('events_2041050113') as name`.execute(store.engine.db);
    assert.ok(rows[0]?.name, 'a partition starts with the next hour');
    assert.equal((await store.events.get(applicationId, 1))?.id, 1);
  });

  it('a list in progress contains a message that is settled during it', async () => {
    const { applicationId, accept, round, settle } = await ownIntegration(store);
    const now = Date.UTC(2051, 4, 1, 12, 30);
    const [id = 0] = await accept('ada');
    const { claimed } = await round(1);
    const { items } = await duringRead(
      'outbox',
      () => store.messages.list(applicationId, {}, { limit: 9 }),
      async () => {
        await store.retention.prepare(now, RETENTION_MS);
        await round(0, [settle(claimed[0])], now);
      },
    );
    assert.deepEqual(
      items.map((message) => message.id),
      [id],
    );
    assert.equal((await store.messages.get(applicationId, id))?.settledAt, now);
  });
});
