import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Reply } from '../support/service/client.ts';
import { ENGINES } from '../support/store/databases.ts';
import {
  ADA_SMS,
  BLOCKED_SMS,
  MINUTE_MS,
  type Routed,
  activity,
  openRouted,
} from './routed-sandbox.ts';

/* Pools of two SMS integrations in the sandbox. */

const GRACE_SMS = '+15558675311';

interface Pooled extends Routed {
  /** The other SMS integration. */
  other: number;
  pool: Reply['body'];
  /** Posts a message to the pool; returns its id. */
  toPool(to?: string): Promise<number>;
  /** Replaces the standing faults of an integration. */
  behave(integrationId: number, fault?: string): Promise<void>;
}

for (const engine of ENGINES) {
  describe(`pools (${engine})`, () => {
    const check = (what: string, test: (pooled: Pooled) => Promise<void>): void =>
      void it(what, async () => {
        await using routed = await openRouted(engine);
        const { app, applicationId, sms } = routed;
        const { body: second } = await app.post('/1/integrations', {
          application_id: applicationId,
          name: 'vonage',
          state: 'enable',
          mode: 'sandbox',
        });
        const created = await app.post('/1/pools', {
          name: 'sms',
          failover_after: 'PT10S',
          members: [{ integration_id: sms }, { integration_id: second.id }],
        });
        assert.equal(created.status, 201, JSON.stringify(created.body));
        await test({
          ...routed,
          other: second.id,
          pool: created.body,
          async toPool(to = ADA_SMS) {
            const generator = { type: 'Service', id: 'pool:sms' };
            const { status, body } = await app.post('/1/message', {
              message: { ...activity(to), generator },
            });
            assert.equal(status, 202, JSON.stringify(body));
            return body.id;
          },
          async behave(integrationId, fault) {
            const behaviours = fault === undefined ? [] : [{ fault }];
            const path = `/1/sandbox/${integrationId}/behaviour`;
            const { status, body } = await app.put(path, { behaviours });
            assert.ok(status < 300, JSON.stringify(body));
          },
        });
      });

    check('a pool sends through its first member, and stays with it', async (pooled) => {
      const { toPool, reach, sms } = pooled;
      for (const to of [ADA_SMS, GRACE_SMS, ADA_SMS]) {
        const sent = await reach(await toPool(to), 'sent', ({ parts_sent: parts }) => parts === 1);
        assert.equal(sent.integration_id, sms);
      }
    });

    check(
      'a message fails over when its member cannot send, and its recipient stays there',
      async (pooled) => {
        const { toPool, reach, behave, sms, other, clock } = pooled;
        await behave(sms, 'unavailable');
        const before = clock.now();
        const id = await toPool();
        const sent = await reach(id, 'the other member', ({ parts_sent: parts }) => parts === 1);
        assert.equal(sent.integration_id, other);
        assert.equal(sent.routes[0].because.code, 'failover');
        assert.ok(clock.now() - before < MINUTE_MS);
        await behave(sms);
        const next = await reach(await toPool(), 'sent', ({ parts_sent: parts }) => parts === 1);
        assert.equal(next.integration_id, other);
      },
    );

    check('messages to a person change the member together', async (pooled) => {
      const { toPool, reach, behave, sms, other, clock, show } = pooled;
      await behave(sms, 'unavailable');
      const first = await toPool();
      const half = clock.now() + 5_000;
      await reach(first, 'half of the time', () => clock.now() >= half);
      const second = await toPool();
      await reach(first, 'the other member', ({ routes }) => routes[0].because !== null);
      // The first member works again, but the second message must not overtake.
      await behave(sms);
      for (const id of [first, second]) {
        const sent = await reach(id, 'sent', ({ sent_at: at }) => at !== null);
        assert.equal(sent.integration_id, other);
      }
      const [one, two] = [await show(first), await show(second)];
      assert.ok(one.sent_at <= two.sent_at, JSON.stringify([one, two]));
    });

    check('a message does not overtake those that wait at a disabled member', async (pooled) => {
      const { app, toPool, reach, behave, sms, other } = pooled;
      await behave(sms, 'unavailable');
      const first = await toPool();
      await reach(first, 'an attempt', ({ attempts }) => attempts > 0);
      const { status } = await app.put(`/1/integrations/${sms}`, {
        name: 'twilio',
        state: 'disable',
      });
      assert.equal(status, 204);
      const second = await toPool();
      const [one, two] = [
        await reach(first, 'sent', ({ sent_at: at }) => at !== null),
        await reach(second, 'sent', ({ sent_at: at }) => at !== null),
      ];
      assert.deepEqual([one.integration_id, two.integration_id], [other, other]);
      assert.equal(two.routes[0].integration_id, sms);
      assert.ok(one.sent_at <= two.sent_at, JSON.stringify([one, two]));
      // Nothing waits at the disabled member any more.
      const third = await reach(await toPool(), 'sent', ({ sent_at: at }) => at !== null);
      assert.deepEqual([third.integration_id, third.routes], [other, undefined]);
    });

    check('a recipient that does not exist is not tried through other members', async (pooled) => {
      const { toPool, reach, other, phoneOf } = pooled;
      const failed = await reach(
        await toPool(BLOCKED_SMS),
        'failed',
        ({ state }) => state === 'failed',
      );
      assert.equal(failed.routes[1].state, 'unused');
      assert.deepEqual(await phoneOf(other), []);
    });

    check('an uncertain message does not change its provider', async (pooled) => {
      const { toPool, reach, behave, sms, other, phoneOf } = pooled;
      await behave(sms, 'lost_answer');
      const id = await toPool();
      // The answer is awaited for longer than a member may take.
      await reach(id, 'an attempt', ({ attempts }) => attempts > 0);
      await behave(sms);
      const sent = await reach(id, 'sent', ({ parts_sent: parts }) => parts === 1);
      assert.equal(sent.integration_id, sms);
      assert.deepEqual(await phoneOf(other), []);
    });

    check('a pool is a route', async (pooled) => {
      const { post, reach, sms } = pooled;
      const routes = [
        { via: 'whatsapp', until: 'read', after: 'PT10S' },
        { via: 'pool:sms', to: ADA_SMS },
      ];
      const { status, body } = await post({ routes });
      assert.equal(status, 202, JSON.stringify(body));
      const sent = await reach(body.id, 'the SMS', (shown) => shown.routes[1].parts_sent === 1);
      assert.equal(sent.routes[1].integration_id, sms);
      assert.equal(sent.routes[1].via, 'pool:sms');
    });

    check('of simultaneous pools with the same name or members, one is stored', async (pooled) => {
      const { app, sms, other, pool } = pooled;
      const membersOf = (...ids: number[]) => ids.map((id) => ({ integration_id: id }));
      const outcomes = async (requests: Promise<Reply>[]) =>
        (await Promise.all(requests)).map(({ status, body }) => body?.code ?? status).toSorted();
      assert.equal((await app.delete(`/1/pools/${pool.id}`)).status, 204);
      for (let round = 0; round < 5; round++) {
        const made = [1, 2, 3, 4].map((number) => {
          const members = number % 2 === 0 ? membersOf(sms, other) : membersOf(other, sms);
          return app.post('/1/pools', { name: `pool-${number}`, members });
        });
        const taken = 'integration_in_use';
        assert.deepEqual(await outcomes(made), [201, taken, taken, taken]);
        for (const one of (await app.get('/1/pools')).body.data) {
          await app.delete(`/1/pools/${one.id}`);
        }
        const [first, second] = [
          await app.post('/1/pools', { name: 'first', members: membersOf(sms) }),
          await app.post('/1/pools', { name: 'second', members: membersOf(other) }),
        ];
        const renamed = [
          app.put(`/1/pools/${first.body.id}`, { name: 'third', members: membersOf(sms) }),
          app.put(`/1/pools/${second.body.id}`, { name: 'third', members: membersOf(other) }),
        ];
        assert.deepEqual(await outcomes(renamed), [204, 'name_taken']);
        for (const { body } of [first, second]) await app.delete(`/1/pools/${body.id}`);
      }
    });

    check('an integration that is deleted meanwhile does not become a member', async (pooled) => {
      const { app, store, sms, other, pool } = pooled;
      const { integrations } = store;
      const listOutlines = integrations.listOutlines.bind(integrations);
      integrations.listOutlines = async (ids) => {
        const outlines = await listOutlines(ids);
        integrations.listOutlines = listOutlines;
        assert.equal((await app.delete(`/1/integrations/${other}`)).status, 204);
        return outlines;
      };
      const members = [{ integration_id: sms }, { integration_id: other }];
      const { status, body } = await app.put(`/1/pools/${pool.id}`, { name: 'sms', members });
      assert.deepEqual([status, body.code], [422, 'no_integration']);
      const { body: shown } = await app.get(`/1/pools/${pool.id}`);
      assert.deepEqual(
        shown.members.map((one: { integration_id: number }) => one.integration_id),
        [sms],
      );
    });

    check('a pool with a member of another channel is refused', async (pooled) => {
      const { app, sms, other, pool, toPool } = pooled;
      const changed = await app.put(`/1/integrations/${other}`, { name: 'telegram' });
      assert.equal(changed.status, 204, changed.text);
      const generator = { type: 'Service', id: 'pool:sms' };
      const sending = { message: { ...activity(GRACE_SMS), generator } };
      const { status, body } = await app.post('/1/message', sending);
      assert.deepEqual([status, body.code], [422, 'no_integration']);
      const members = [{ integration_id: sms }];
      assert.equal((await app.put(`/1/pools/${pool.id}`, { name: 'sms', members })).status, 204);
      await toPool(GRACE_SMS);
    });

    check('invalid pools are refused', async (pooled) => {
      const { app, sms, integrationId, pool } = pooled;
      const of = async (change: Record<string, unknown>) => {
        const { body, status } = await app.post('/1/pools', {
          name: 'another',
          members: [{ integration_id: integrationId }],
          ...change,
        });
        return [status, body.code, body.errors?.[0]?.pointer];
      };
      assert.deepEqual(await of({ members: [{ integration_id: sms }] }), [
        409,
        'integration_in_use',
        '/members',
      ]);
      assert.deepEqual(await of({ name: 'sms' }), [409, 'name_taken', '/name']);
      assert.deepEqual(await of({ members: [{ integration_id: 1_000_000 }] }), [
        422,
        'no_integration',
        '/members/0/integration_id',
      ]);
      const unknown = { name: 'another', members: [{ integration_id: 1_000_000 }] };
      assert.equal(
        (await app.post('/1/pools', unknown)).body.detail,
        '1000000 is not an integration of the application',
      );
      assert.deepEqual(await of({ failover_after: 'PT1S' }), [
        422,
        'invalid_fields',
        '/failover_after',
      ]);
      const members = [{ integration_id: sms }, { integration_id: integrationId }];
      const mixed = await app.put(`/1/pools/${pool.id}`, { name: 'sms', members });
      assert.deepEqual([mixed.status, mixed.body.errors[0].pointer], [422, '/members']);
      assert.equal((await app.get(`/1/pools/${pool.id}`)).body.members.length, 2);
      assert.equal((await app.delete(`/1/pools/${pool.id}`)).status, 204);
      assert.equal((await app.get(`/1/pools/${pool.id}`)).status, 404);
    });
  });
}
