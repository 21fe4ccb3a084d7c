import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import type { Settlement } from '../../src/store/delivery/dispatch-round.ts';
import type { Store } from '../../src/store/store.ts';
import { ENGINES, type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { NOW, ownIntegration, renewNode } from '../support/store/dispatch.ts';

/* The guarantees of dispatch rounds, on both engines. */
for (const engine of ENGINES) {
  describe(`dispatch rounds (${engine})`, () => {
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

    const renew = (node: string, lease?: number) => renewNode(store, node, lease);
    const own = () => ownIntegration(store);

    it('start the first message of each lane, and the next one when it is settled', async () => {
      const { accept, turn, settle, lanes } = await own();
      const [a1, b1, a2] = await accept('a', 'b', 'a');
      const first = await turn(10);
      assert.deepEqual(first.taken.map(({ id }) => id).toSorted(), [a1, b1]);
      assert.deepEqual((await turn(10)).taken, []);
      const ofA = first.taken.find(({ id }) => id === a1);
      const second = await turn(10, [settle(ofA)]);
      assert.deepEqual(
        second.taken.map(({ id }) => id),
        [a2],
      );
      await turn(0, [settle(second.taken[0]), settle(first.taken.find(({ id }) => id === b1))]);
      assert.deepEqual(await lanes(), [], 'empty lanes are removed');
    });

    it('report whether more lanes are due than requested', async () => {
      const { accept, turn } = await own();
      await accept('a', 'b', 'c');
      const found = async (count: number) => {
        const { taken, standings } = await turn(count);
        return [taken.length, standings[0]?.found];
      };
      assert.deepEqual(await found(1), [1, 2]);
      assert.deepEqual(await found(2), [2, 2], 'nobody asks again in vain');
      assert.deepEqual(await found(2), [0, 0]);
    });

    it('record the result of a start once, and never for another start', async () => {
      const { accept, turn, settle, state } = await own();
      const [id = 0] = await accept('a');
      const [first] = (await turn(1)).taken;
      const back = settle(first, { state: 'queued', partsSent: 0 });
      const [again] = (await turn(1, [back])).taken;
      assert.equal(again?.starts, 2);
      // The response to the first recording was lost, so it is repeated.
      assert.deepEqual((await turn(0, [back])).refused, [id]);
      assert.deepEqual((await turn(0, [settle(first)])).refused, [id]);
      assert.equal(await state(id), 'sending');
      assert.deepEqual((await turn(0, [settle(again)])).refused, []);
      assert.equal(await state(id), 'sent');
    });

    it('refuse results of a former owner, and start nothing for it', async () => {
      const { accept, turn, settle, state, integrationId, node } = await own();
      const [id = 0] = await accept('a');
      const [taken] = (await turn(1)).taken;
      await renew('usurper');
      const gained = await store.ownerships.claim('usurper', [node], NOW);
      assert.ok(gained?.some((one) => one.integrationId === integrationId));
      const { refused, standings } = await turn(1, [settle(taken)]);
      assert.deepEqual([refused, standings[0]?.owned], [[id], false]);
      assert.equal(await state(id), 'sending');
    });

    it('are preceded by claims, which a node with an expired lease cannot make', async () => {
      await renew('late', -1);
      assert.equal(await store.ownerships.claim('late', [], NOW), undefined);
      assert.deepEqual(await store.ownerships.ownedBy('late'), []);
    });

    it('lose no message that is queued while the last one of its lane is settled', async () => {
      const { accept, turn, settle } = await own();
      await accept('a');
      let [taken] = (await turn(1)).taken;
      for (let i = 0; i < 50; i++) {
        const [[id]] = await Promise.all([accept('a'), turn(0, [settle(taken)])]);
        [taken] = (await turn(1)).taken;
        assert.equal(taken?.id, id);
      }
    });

    it('are consistent with concurrent cancels, purges and resends of a message', async () => {
      const { accept, turn, settle, state, applicationId, integrationId } = await own();
      const purge = { kind: 'integration', resourceId: integrationId, applicationId } as const;
      const others = [
        (id: number) => store.lanes.cancel(applicationId, id, NOW),
        () => store.purges.cancelMessages({ ...purge, createdAt: NOW }, 10, NOW),
        (id: number) => store.lanes.resend(applicationId, id, NOW),
      ];
      for (let i = 0; i < 60; i++) {
        const [id = 0] = await accept(`to ${i}`);
        const meanwhile = others[i % others.length]?.(id);
        const [{ taken }] = await Promise.all([turn(1), meanwhile]);
        const results = taken.map((one) => settle(one, { state: 'failed' }));
        // The failed message is resent or canceled while its result is recorded.
        await Promise.all([turn(0, results), others[(i + 1) % others.length]?.(id)]);
        await store.lanes.cancel(applicationId, id, NOW);
        assert.match((await state(id)) ?? 'lost', /^(canceled|failed)$/);
      }
      assert.deepEqual((await turn(10)).taken, []);
    });

    it('find messages in flight, also of a deleted integration', async () => {
      const { accept, turn, settle, state, lanes, applicationId, integrationId, fence } =
        await own();
      const [id = 0] = await accept('a', 'b', 'c');
      const [taken] = (await turn(1)).taken;
      const underWay = async () => {
        const one = { applicationId, integrationId, teamId: 1, fence };
        return (await store.deliveries.underWay([one])).map((message) => message.id);
      };
      assert.deepEqual(await underWay(), [id]);
      const of = { kind: 'integration', resourceId: integrationId, applicationId } as const;
      const purge = { ...of, createdAt: NOW };
      await store.purges.cancelMessages(purge, 10, NOW);
      assert.equal(await store.purges.removeLanes(purge, 10), 2);
      assert.deepEqual(await underWay(), [id]);
      assert.deepEqual((await turn(0, [settle(taken)])).refused, []);
      assert.equal(await state(id), 'sent');
      assert.deepEqual(await lanes(), []);
    });

    it('keep the last 100 attempts of a message', async () => {
      const { accept, turn, settle, applicationId } = await own();
      const [id = 0] = await accept('a');
      const attempt = { startedAt: NOW, duration: 1, outcome: 'limited', part: 1 } as const;
      const words = { status: '429', code: null, detail: null, request: null, answer: null };
      const said = { ...words, withActivity: 0 } as const;
      let settlements: Settlement[] = [];
      for (let i = 0; i < 130; i++) {
        const [taken] = (await turn(1, settlements)).taken;
        settlements = [settle(taken, { state: 'queued', attempt: { ...attempt, ...said } })];
      }
      await turn(0, settlements);
      const numbers = (await store.attempts.list({ applicationId, id, activity: '' })).map(
        ({ number }) => number,
      );
      assert.deepEqual([numbers[0], numbers.at(-1), numbers.length], [31, 130, 100]);
    });

    it('still start a resent message after old messages are deleted', async () => {
      const { accept, turn, settle, state, applicationId } = await own();
      const [old = 0, resent = 0] = await accept('a', 'b');
      const { taken } = await turn(2);
      await turn(
        0,
        taken.map((one) => settle(one, { state: 'failed' })),
      );
      const later = NOW + 1_000;
      assert.ok((await store.lanes.resend(applicationId, resent, later))?.changed);
      while (await store.retention.removeOld(later, 0, 10_000));
      assert.deepEqual([await state(old), await state(resent)], [undefined, 'queued']);
      assert.equal((await turn(1, [], later)).taken[0]?.id, resent);
    });
  });
}
