import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sql } from 'kysely';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import type { Store } from '../../src/store/store.ts';
import { ENGINES, type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { NOW } from '../support/store/dispatch.ts';
import { whileHeld } from '../support/store/locks.ts';

const WAITING = 150;

for (const engine of ENGINES) {
  describe(`webhook endpoints (${engine})`, () => {
    let database: TestDatabase;
    let store: Store;
    before(async () => {
      database = await createDatabase(engine);
      store = await openStore(readConfig(database.environment));
    });
    after(async () => {
      await store.close();
      await database.dispose();
    });

    /** An application with an endpoint and queued deliveries of `events` events. */
    async function withEndpoint(events = WAITING) {
      const id = await store.nextId();
      const dated = { createdAt: NOW, updatedAt: NOW };
      const of = { teamId: 1, ownerId: 1, uncertain: 'resend', state: 'enable' } as const;
      const webhookUrl = 'https://example.com/hook';
      await store.applications.insert({ id, name: 'application', webhookUrl, ...of, ...dated });
      const happen = (count: number) =>
        store.events.append(
          Array.from({ length: count }, () => ({
            applicationId: id,
            type: 'message.sent' as const,
            data: '{}',
            media: null,
            createdAt: NOW,
          })),
        );
      const forward = () => store.endpoints.copyToQueue(id, () => '{}', NOW);
      await happen(events);
      await forward();
      const { integrationId } = (await store.endpoints.get(id)) ?? assert.fail();
      return { id, integrationId, happen, forward };
    }

    /** The ids of the events queued for delivery, in order. */
    async function waiting(integrationId: number): Promise<number[]> {
      const rows = await store.engine.db
        .selectFrom('outbox')
        .select('objectId')
        .where('integrationId', '=', integrationId)
        .where('state', '=', sql.lit('queued'))
        .orderBy('sequence')
        .execute();
      return rows.map(({ objectId }) => Number(objectId));
    }

    it('a recovery skips no queued event, from any starting position', async () => {
      const { id, integrationId, happen, forward } = await withEndpoint(3);
      const from = async (place: number) => {
        await store.endpoints.recover(id, place, NOW);
        await forward();
        return waiting(integrationId);
      };
      assert.deepEqual(await from(1), [1, 2, 3]);
      assert.deepEqual(await from(3), [1, 2, 3]);
      await happen(1);
      assert.deepEqual(await from(Number.MAX_SAFE_INTEGER), [1, 2, 3, 4]);
      assert.deepEqual(await from(0), [1, 2, 3, 4]);
    });

    it('an endpoint counts as behind only while its queue has space', async () => {
      const { id, happen } = await withEndpoint();
      await happen(1);
      assert.ok(!(await store.endpoints.listBehind()).includes(id));
      const other = await withEndpoint(10);
      await other.happen(1);
      assert.ok((await store.endpoints.listBehind()).includes(other.id));
    });

    it('expired endpoint secrets are dropped, but none replaced by a concurrent rotation', async () => {
      const { id } = await withEndpoint(0);
      await store.endpoints.rotate(id, 'whsec_fake-second', NOW);
      const forgetting = store.endpoints.forgetSecrets(NOW + 1, NOW + 1);
      const rotating = store.endpoints.rotate(id, 'whsec_fake-third', NOW + 1);
      await Promise.all([forgetting, rotating]);
      const { secrets } = (await store.endpoints.get(id)) ?? assert.fail();
      assert.deepEqual(secrets, ['whsec_fake-third', 'whsec_fake-second']);
    });

    if (engine !== 'postgres') return;

    it('a recovery locks lanes before messages, like dispatch rounds', async () => {
      const { id, integrationId } = await withEndpoint();
      await whileHeld(
        store,
        sql`select 1 from lanes where integration_id = ${integrationId} for update`,
        () => store.endpoints.recover(id, 0, NOW),
        sql`select 1 from outbox where integration_id = ${integrationId} for update nowait`,
      );
    });

    it('an endpoint is deleted with its application, before its integration is', async () => {
      const { id, integrationId } = await withEndpoint();
      await whileHeld(
        store,
        sql`select 1 from endpoints where application_id = ${id} for update`,
        () => store.applications.delete(1, id, NOW),
        sql`select 1 from integrations where id = ${integrationId} for update nowait`,
      );
    });
  });
}
