import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import type { AttemptResult } from '../../src/store/delivery/dispatch-round.ts';
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

    it('a dispatch round starts the first message of each lane, and the next one when it is settled', async () => {
      const { accept, round, settle, lanes } = await own();
      const [a1, b1, a2] = await accept('a', 'b', 'a');
      const first = await round(10);
      assert.deepEqual(first.claimed.map(({ id }) => id).toSorted(), [a1, b1]);
      assert.deepEqual((await round(10)).claimed, []);
      const ofA = first.claimed.find(({ id }) => id === a1);
      const second = await round(10, [settle(ofA)]);
      assert.deepEqual(
        second.claimed.map(({ id }) => id),
        [a2],
      );
      await round(0, [
        settle(second.claimed[0]),
        settle(first.claimed.find(({ id }) => id === b1)),
      ]);
      assert.deepEqual(await lanes(), [], 'empty lanes are removed');
    });

    it('a dispatch round reports whether more lanes are due than requested', async () => {
      const { accept, round } = await own();
      await accept('a', 'b', 'c');
      const found = async (count: number) => {
        const { claimed, statuses } = await round(count);
        return [claimed.length, statuses[0]?.found];
      };
      assert.deepEqual(await found(1), [1, 2]);
      assert.deepEqual(await found(2), [2, 2], 'nobody asks again in vain');
      assert.deepEqual(await found(2), [0, 0]);
    });

    it('a dispatch round records the result of a start once, and never for another start', async () => {
      const { accept, round, settle, state } = await own();
      const [id = 0] = await accept('a');
      const [first] = (await round(1)).claimed;
      const back = settle(first, { state: 'queued', partsSent: 0 });
      const [again] = (await round(1, [back])).claimed;
      assert.equal(again?.starts, 2);
      // The response to the first recording was lost, so it is repeated.
      assert.deepEqual((await round(0, [back])).refused, [id]);
      assert.deepEqual((await round(0, [settle(first)])).refused, [id]);
      assert.equal(await state(id), 'sending');
      assert.deepEqual((await round(0, [settle(again)])).refused, []);
      assert.equal(await state(id), 'sent');
    });

    it('a dispatch round records messages for which the vendor returned the same id', async () => {
      const { accept, round, settle, state } = await own();
      const ids = await accept('a', 'b');
      const { claimed } = await round(10);
      const same = { state: 'sent', channelIds: '["same"]', reportedAs: 'same' } as const;
      const { refused } = await round(
        0,
        claimed.map((one) => settle(one, same)),
      );
      assert.deepEqual(refused, []);
      for (const id of ids) assert.equal(await state(id), 'sent');
    });

    it('a dispatch round refuses results of a former owner, and starts nothing for it', async () => {
      const { accept, round, settle, state, integrationId, node } = await own();
      const [id = 0] = await accept('a');
      const [claimed] = (await round(1)).claimed;
      await renew('usurper');
      const gained = await store.ownerships.claim('usurper', [node], NOW);
      assert.ok(gained?.some((one) => one.integrationId === integrationId));
      const { refused, statuses } = await round(1, [settle(claimed)]);
      assert.deepEqual([refused, statuses[0]?.owned], [[id], false]);
      assert.equal(await state(id), 'sending');
    });

    it('a node with an expired lease cannot claim integrations', async () => {
      await renew('late', -1);
      assert.equal(await store.ownerships.claim('late', [], NOW), undefined);
      assert.deepEqual(await store.ownerships.ownedBy('late'), []);
    });

    it('a message queued while the last one of its lane is settled is not lost', async () => {
      const { accept, round, settle } = await own();
      await accept('a');
      let [claimed] = (await round(1)).claimed;
      for (let i = 0; i < 50; i++) {
        const [[id]] = await Promise.all([accept('a'), round(0, [settle(claimed)])]);
        [claimed] = (await round(1)).claimed;
        assert.equal(claimed?.id, id);
      }
    });

    it('dispatch rounds agree with concurrent cancels, purges and resends of a message', async () => {
      const { accept, round, settle, state, applicationId, integrationId } = await own();
      const purge = { kind: 'integration', resourceId: integrationId, applicationId } as const;
      const others = [
        (id: number) => store.lanes.cancel(applicationId, id, NOW),
        () => store.purges.cancelMessages({ ...purge, createdAt: NOW }, 10, NOW),
        (id: number) => store.lanes.resend(applicationId, id, NOW),
      ];
      for (let i = 0; i < 60; i++) {
        const [id = 0] = await accept(`to ${i}`);
        const meanwhile = others[i % others.length]?.(id);
        const [{ claimed }] = await Promise.all([round(1), meanwhile]);
        const results = claimed.map((one) => settle(one, { state: 'failed' }));
        // The failed message is resent or canceled while its result is recorded.
        await Promise.all([round(0, results), others[(i + 1) % others.length]?.(id)]);
        await store.lanes.cancel(applicationId, id, NOW);
        assert.match((await state(id)) ?? 'lost', /^(canceled|failed)$/);
      }
      assert.deepEqual((await round(10)).claimed, []);
    });

    it('messages in flight are found, also those of a deleted integration', async () => {
      const { accept, round, settle, state, lanes, applicationId, integrationId, fence } =
        await own();
      const [id = 0] = await accept('a', 'b', 'c');
      const [claimed] = (await round(1)).claimed;
      const inFlight = async () => {
        const one = { applicationId, integrationId, teamId: 1, fence };
        return (await store.deliveries.inFlight([one])).map((message) => message.id);
      };
      assert.deepEqual(await inFlight(), [id]);
      const of = { kind: 'integration', resourceId: integrationId, applicationId } as const;
      const purge = { ...of, createdAt: NOW };
      await store.purges.cancelMessages(purge, 10, NOW);
      assert.equal(await store.purges.removeLanes(purge, 10), 2);
      assert.deepEqual(await inFlight(), [id]);
      assert.deepEqual((await round(0, [settle(claimed)])).refused, []);
      assert.equal(await state(id), 'sent');
      assert.deepEqual(await lanes(), []);
    });

    it('the last 100 attempts of a message are kept', async () => {
      const { accept, round, settle, applicationId } = await own();
      const [id = 0] = await accept('a');
      const attempt = { startedAt: NOW, duration: 1, outcome: 'limited', part: 1 } as const;
      const words = { status: '429', code: null, detail: null, request: null, answer: null };
      const said = { ...words, withActivity: 0 } as const;
      let results: AttemptResult[] = [];
      for (let i = 0; i < 130; i++) {
        const [claimed] = (await round(1, results)).claimed;
        results = [settle(claimed, { state: 'queued', attempt: { ...attempt, ...said } })];
      }
      await round(0, results);
      const numbers = (await store.attempts.list({ applicationId, id, activity: '' })).map(
        ({ number }) => number,
      );
      assert.deepEqual([numbers[0], numbers.at(-1), numbers.length], [31, 130, 100]);
    });

    it('a resent message still starts after old messages are deleted', async () => {
      const { accept, round, settle, state, applicationId } = await own();
      const [old = 0, resent = 0] = await accept('a', 'b');
      const { claimed } = await round(2);
      await round(
        0,
        claimed.map((one) => settle(one, { state: 'failed' })),
      );
      const later = NOW + 1_000;
      assert.ok((await store.lanes.resend(applicationId, resent, later))?.changed);
      while (await store.retention.removeOld(later, 0, 10_000));
      assert.deepEqual([await state(old), await state(resent)], [undefined, 'queued']);
      assert.equal((await round(1, [], later)).claimed[0]?.id, resent);
    });
  });
}
