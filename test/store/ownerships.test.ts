import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sql } from 'kysely';

import { readConfig } from '../../src/config.ts';
import type { Id } from '../../src/model/id.ts';
import { openStore } from '../../src/setup.ts';
import type { Store } from '../../src/store/store.ts';
import { ENGINES, type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { NOW, ownIntegration, renewNode } from '../support/store/dispatch.ts';
import { until } from '../support/until.ts';

/** More than fit one page or one claim. */
const INTEGRATIONS = 2_100;
const FIRST_ID = 10_000_000;
const MAX_BATCH = 500;

for (const engine of ENGINES) {
  describe(`a node with thousands of integrations (${engine})`, () => {
    let database: TestDatabase;
    let store: Store;
    before(async () => {
      database = await createDatabase(engine, { migrated: true });
      store = await openStore(readConfig(database.environment));
    });
    after(async () => {
      await store.close();
      await database.dispose();
    });

    /** Inserts integrations of one application, each with a due lane. */
    async function insertMany(applicationId: Id): Promise<void> {
      const { db } = store.engine;
      for (let first = FIRST_ID; first < FIRST_ID + INTEGRATIONS; first += MAX_BATCH) {
        const length = Math.min(MAX_BATCH, FIRST_ID + INTEGRATIONS - first);
        const places = Array.from({ length }, (_, i) => ({
          applicationId,
          integrationId: first + i,
        }));
        const dated = { createdAt: NOW, updatedAt: NOW };
        const lane = { recipient: 'a', dueAt: NOW, version: 0 };
        const rest = { name: 'webhook', state: 'enable', credentials: '', ...dated } as const;
        await db
          .insertInto('integrations')
          .values(places.map(({ integrationId: id }) => ({ applicationId, id, ...rest })))
          .execute();
        await db
          .insertInto('ownerships')
          .values(places.map(({ integrationId }) => ({ applicationId, integrationId, fence: 0 })))
          .execute();
        await db
          .insertInto('lanes')
          .values(places.map((place) => Object.assign(place, lane)))
          .execute();
      }
    }

    async function dueOf(node: string): Promise<Id[]> {
      let { due, next } = await store.ownerships.due(node, NOW);
      const found = [...due];
      while (next) {
        ({ due, next } = await store.ownerships.due(node, NOW, next));
        found.push(...due);
      }
      return found.map(({ integrationId }) => integrationId);
    }

    /** Releases everything of a node while a handoff of some of it has not committed. */
    async function releaseDuring(node: string, handedOff: readonly Id[]): Promise<void> {
      const { db, name } = store.engine;
      let releasing = Promise.resolve();
      await db.transaction().execute(async (trx) => {
        await trx
          .updateTable('ownerships')
          .set({ node: null })
          .where('integrationId', 'in', handedOff)
          .execute();
        releasing = store.ownerships.releaseAll(node);
        if (name === 'postgres')
          await until('releaseAll waits', async () => (await waitingForLocks()) > 0);
      });
      await releasing;
    }

    async function waitingForLocks(): Promise<number> {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(store.engine.db);
      return rows.length;
    }

    it('a node claims, reads and releases thousands of integrations in batches, and misses no due one', async () => {
      const other = await ownIntegration(store);
      await other.accept('a');
      // A leaving node claims nothing, so all the others are for the new node.
      await store.ownerships.renew(
        { id: other.node, role: 'leaving', host: 'h', pid: 1, startedAt: NOW, ring: '' },
        60_000,
        NOW,
      );
      await insertMany(other.applicationId);
      await renewNode(store, 'large');
      const claimed: Id[] = [];
      for (let count = 1; count > 0;) {
        const owned = (await store.ownerships.claim('large', [], NOW)) ?? [];
        count = owned.length;
        assert.ok(count <= 1_000, `${count} in one claim`);
        assert.ok(owned.every(({ teamId, fence }) => teamId === 1 && fence === 1));
        claimed.push(...owned.map(({ integrationId }) => integrationId));
      }
      const all = Array.from({ length: INTEGRATIONS }, (_, i) => FIRST_ID + i);
      assert.deepEqual(
        claimed.toSorted((a, b) => a - b),
        all,
      );
      assert.deepEqual(await dueOf('large'), all);
      assert.deepEqual(await dueOf(other.node), [other.integrationId]);
      const owned = await store.ownerships.ownedBy('large');
      assert.deepEqual(
        owned.map(({ integrationId }) => integrationId),
        all,
      );
      await releaseDuring('large', all.slice(0, 10));
      assert.deepEqual(await store.ownerships.ownedBy('large'), []);
      assert.equal((await store.ownerships.counts()).get(null), INTEGRATIONS);
    });
  });
}
