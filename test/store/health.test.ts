import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import { type HealthRecord, type HealthReport, healthAfter } from '../../src/model/health.ts';
import { timestamp } from '../../src/model/timestamp.ts';
import { openStore } from '../../src/setup.ts';
import type { AttemptResult, ClaimedMessage } from '../../src/store/delivery/dispatch-round.ts';
import type { Store } from '../../src/store/store.ts';
import { ENGINES, type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { NOW, ownIntegration, renewNode } from '../support/store/dispatch.ts';

type Owned = Awaited<ReturnType<typeof ownIntegration>>;

const OUTCOMES = ['ok', 'ok', 'transient', 'transient', 'credentials', null] as const;
/** Pseudo-random numbers from 0 to below 1, the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

for (const engine of ENGINES) {
  describe(`recorded health (${engine})`, () => {
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

    const ownershipOf = ({ applicationId, integrationId }: Owned) =>
      store.overview.status(applicationId, integrationId);
    const eventsOf = async ({ applicationId }: Owned) =>
      (
        await store.engine.db
          .selectFrom('events')
          .select(['type', 'data'])
          .where('applicationId', '=', applicationId)
          .orderBy('id')
          .execute()
      ).map(({ type, data }) => ({ type, data: JSON.parse(data) }));
    const typesOf = async (owned: Owned) => (await eventsOf(owned)).map(({ type }) => type);

    /** The result of an attempt started at `at`; `wasUnhealthy` is what the node believes of the integration. */
    function reported(
      owned: Owned,
      claimed: ClaimedMessage | undefined,
      health: AttemptResult['health'],
      at = NOW,
      wasUnhealthy = true,
    ): AttemptResult {
      const attempt = {
        startedAt: at,
        duration: 1,
        outcome: health === 'ok' ? 'sent' : 'transient',
        part: 1,
        status: null,
        code: null,
        detail: health === 'ok' ? null : `error at ${at}`,
        request: null,
        withActivity: 0,
        answer: null,
      } as const;
      const state = health === 'ok' ? 'sent' : 'failed';
      const event = JSON.stringify({ state });
      return owned.settle(claimed, { attempt, health, wasUnhealthy, state, event });
    }

    it('recorded health follows the model for any sequence of attempts, in batches of any size', async () => {
      const random = numbers(20_261_117);
      const next = (below: number) => Math.floor(random.next().value * below);
      const several = [await ownIntegration(store), await ownIntegration(store)];
      const expected = several.map((): HealthRecord & { events: string[] } => ({
        failures: 0,
        failedAt: null,
        failingSince: null,
        events: [],
      }));
      for (let round = 0; round < 60; round++) {
        for (const [i, owned] of several.entries()) {
          const count = 1 + next(5);
          await owned.accept(...Array.from({ length: count }, (_unused, to) => `r${to}`));
          const { claimed } = await owned.round(count);
          assert.equal(claimed.length, count);
          const model = expected[i];
          assert.ok(model);
          const outcomes = claimed.map(() => OUTCOMES[next(OUTCOMES.length)] ?? null);
          const at = (place: number) => NOW + round * 1_000 + place;
          const reports = outcomes.flatMap((health, place): HealthReport[] =>
            health === null ? [] : [{ health, at: at(place), detail: null }],
          );
          const change = healthAfter(model, reports);
          if (change.isRecovered) model.events.push('integration.recovered');
          if (change.isFailing) model.events.push('integration.failing');
          Object.assign(model, {
            failures: change.failures,
            failedAt: change.failedAt,
            failingSince: change.failingSince,
          });
          const results = claimed.map((one, place) =>
            reported(owned, one, outcomes[place] ?? null, at(place)),
          );
          assert.deepEqual((await owned.round(0, results)).refused, []);
          const found = await ownershipOf(owned);
          assert.deepEqual(
            [found?.failures ?? 0, found?.failedAt, found?.failingSince],
            [model.failures, model.failedAt, model.failingSince],
            `round ${round}: ${outcomes.join(' ')}`,
          );
          if (change.lastFailure) {
            const { at: lastAt, health } = change.lastFailure;
            assert.deepEqual(
              [found?.lastErrorAt, found?.lastError, found?.lastErrorReason],
              [lastAt, `error at ${lastAt}`, health],
            );
          }
        }
      }
      for (const [i, owned] of several.entries()) {
        const told = (await typesOf(owned)).filter((type) => type.startsWith('integration.'));
        assert.deepEqual(told, expected[i]?.events);
        assert.ok(told.length > 10);
      }
    });

    it('a recovery is emitted before the message event that shows it, and a failure after', async () => {
      const owned = await ownIntegration(store);
      await owned.accept('a', 'b', 'c', 'd', 'e');
      const [a, b, c, d, e] = (await owned.round(5)).claimed;
      await owned.round(0, [reported(owned, a, 'transient'), reported(owned, b, 'credentials')]);
      await owned.round(0, [reported(owned, c, 'ok')]);
      await owned.round(0, [
        reported(owned, d, 'transient'),
        reported(owned, e, 'transient', NOW + 5),
      ]);
      const told = await eventsOf(owned);
      assert.deepEqual(
        told.map(({ type }) => type),
        [
          'message.failed',
          'message.failed',
          'integration.failing',
          'integration.recovered',
          'message.sent',
          'message.failed',
          'message.failed',
          'integration.failing',
        ],
      );
      const place = {
        application_id: owned.applicationId,
        integration_id: owned.integrationId,
        channel: 'webhook',
        scope: 'sending',
      };
      const detail = `error at ${NOW}`;
      const since = timestamp(NOW);
      assert.deepEqual(told[2]?.data, { ...place, reason: 'credentials', detail, since });
      assert.deepEqual(told[3]?.data, place);
      assert.equal(told[7]?.data.detail, `error at ${NOW + 5}`);
    });

    it('a result recorded again after a lost response counts once for health', async () => {
      const owned = await ownIntegration(store);
      await owned.accept('a');
      const [claimed] = (await owned.round(1)).claimed;
      const failed = reported(owned, claimed, 'transient');
      await owned.round(0, [failed]);
      assert.equal((await owned.round(0, [failed])).refused.length, 1);
      const found = await ownershipOf(owned);
      assert.deepEqual([found?.failures, found?.failingSince], [1, null]);
    });

    it('the next owner continues counting failures, and the previous one is ignored', async () => {
      const owned = await ownIntegration(store);
      const { applicationId, integrationId } = owned;
      await owned.accept('a', 'b', 'c');
      const [a, b, c] = (await owned.round(3)).claimed;
      await owned.round(0, [reported(owned, a, 'transient')]);
      await renewNode(store, `heir-${integrationId}`);
      const gained = await store.ownerships.claim(`heir-${integrationId}`, [owned.node], NOW);
      const heir = gained?.find((one) => one.integrationId === integrationId);
      assert.ok(heir);
      await owned.round(0, [reported(owned, b, 'transient')]);
      assert.equal((await ownershipOf(owned))?.failingSince, null);
      const round = { node: `heir-${integrationId}`, now: NOW, claims: [] };
      const results = [{ ...reported(owned, c, 'transient', NOW + 9), fence: heir.fence }];
      await store.deliveries.dispatch({ ...round, results });
      assert.equal((await ownershipOf({ ...owned, applicationId }))?.failingSince, NOW);
    });

    it('the recovery of an integration that another node marked as failing is recorded', async () => {
      const owned = await ownIntegration(store);
      const { applicationId, integrationId, fence } = owned;
      const integration = await store.integrations.get(applicationId, integrationId);
      assert.ok(integration);
      await owned.accept('a');
      const [claimed] = (await owned.round(1)).claimed;
      const failure = { reason: 'transient', detail: 'no answer' } as const;
      await store.health.checked(integration, failure, NOW);
      const { recovering } = await owned.round(0, [reported(owned, claimed, 'ok', NOW, false)]);
      for (const id of recovering) {
        assert.equal(id, integrationId);
        await store.health.recover({ applicationId, integrationId, fence }, NOW);
      }
      assert.equal((await ownershipOf(owned))?.failingSince, null);
      const types = await typesOf(owned);
      assert.equal(types.filter((type) => type === 'integration.recovered').length, 1);
    });

    it('sending a message does not write the ownership of a healthy integration', async () => {
      const owned = await ownIntegration(store);
      await owned.accept('a', 'b');
      const [a, b] = (await owned.round(2)).claimed;
      const earlier = await ownershipOf(owned);
      const { recovering } = await owned.round(0, [
        reported(owned, a, 'ok', NOW, false),
        reported(owned, b, 'ok', NOW, false),
      ]);
      assert.deepEqual(recovering, []);
      assert.deepEqual(await ownershipOf(owned), earlier);
      assert.equal(earlier?.verifiedAt, null);
    });

    it('a check of credentials that have changed since does not count for health', async () => {
      const owned = await ownIntegration(store);
      const { applicationId, integrationId } = owned;
      const integration = await store.integrations.get(applicationId, integrationId);
      assert.ok(integration);
      const change = { credentials: { address: 'https://example.com' }, updatedAt: NOW + 1 };
      await store.integrations.update(applicationId, integrationId, (one) => ({
        ...one,
        ...change,
      }));
      const failure = { reason: 'credentials', detail: 'who are you?' } as const;
      await store.health.checked(integration, failure, NOW);
      const found = await ownershipOf(owned);
      assert.deepEqual([found?.failingSince, found?.lastError], [null, null]);
    });

    it('recording health does not block concurrent dispatch rounds', async () => {
      const several = await Promise.all(Array.from({ length: 4 }, () => ownIntegration(store)));
      for (let round = 0; round < 10; round++) {
        const dispatcher = several.map(async (owned) => {
          await owned.accept('a', 'b', 'c', 'd');
          const { claimed } = await owned.round(4);
          const outcomes = ['transient', 'ok', 'transient', 'transient'] as const;
          await Promise.all(
            claimed.map((one, i) =>
              owned.round(1, [reported(owned, one, outcomes[i] ?? null, NOW, i % 2 === 0)]),
            ),
          );
          const left = await owned.round(0, []);
          assert.deepEqual(left.refused, []);
        });
        await Promise.all(dispatcher);
      }
    });

    it('a failing period of receiving starts and ends once, recorded by the owner only', async () => {
      const owned = await ownIntegration(store);
      const former = { ...owned, fence: owned.fence - 1 };
      const lost = { reason: 'transient', detail: 'connection lost', isLasting: false } as const;
      const since = async () => (await ownershipOf(owned))?.receivingFailingSince;
      for (let i = 0; i < 3; i++) await store.health.sessionFailed(former, lost, NOW);
      assert.equal(await since(), null);
      await store.health.sessionFailed(owned, lost, NOW);
      assert.equal(await since(), null);
      for (let i = 1; i < 4; i++) await store.health.sessionFailed(owned, lost, NOW + i);
      assert.equal(await since(), NOW);
      await store.health.recover(owned, NOW);
      await store.health.sessionLasts(former, NOW, NOW);
      assert.equal(await since(), NOW, 'neither a sent message nor a former owner ends it');
      for (let i = 0; i < 2; i++) await store.health.sessionLasts(owned, NOW, NOW);
      assert.equal(await since(), null);
      const events = await eventsOf(owned);
      assert.deepEqual(
        events.map(({ type, data }) => [type, data.scope]),
        [
          ['integration.failing', 'receiving'],
          ['integration.recovered', 'receiving'],
        ],
      );
    });
  });
}
