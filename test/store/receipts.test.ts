import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sql } from 'kysely';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import type { Store } from '../../src/store/store.ts';
import { fc } from '../support/fast-check.ts';
import { ENGINES, type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { NOW, ownIntegration } from '../support/store/dispatch.ts';
import { somebodyWaits, whileHeld } from '../support/store/locks.ts';

/** What can happen to a message of two parts, including delivery reports, in any order. */
type Step =
  | 'first sent'
  | 'second sent'
  | 'apply'
  | { report: 'delivered' | 'read' | 'failed'; part: 1 | 2 }
  | { upTo: 'delivered' | 'read' };

const RANK = { sent: 0, delivered: 1, read: 2 } as const;

/**
 * The expected state from all reports, in any order. A message once reported as failed stays failed until all its parts
 * are delivered, because the `sent` event is emitted only once.
 */
function expected(steps: readonly Step[]): keyof typeof RANK | 'failed' {
  const now = summary(steps);
  if (now !== 'sent') return now;
  const wasFailed = steps.some(
    (step, i) =>
      step === 'apply' &&
      steps.indexOf('second sent') < i &&
      summary(steps.slice(0, i)) === 'failed',
  );
  return wasFailed ? 'failed' : now;
}

function summary(steps: readonly Step[]): keyof typeof RANK | 'failed' {
  const of = (part: 1 | 2): keyof typeof RANK | 'failed' => {
    let best: keyof typeof RANK = 'sent';
    let failed = false;
    for (const step of steps) {
      if (typeof step === 'string') continue;
      if ('report' in step && step.part !== part) continue;
      const said = 'report' in step ? step.report : step.upTo;
      if (said === 'failed') failed = true;
      else if (RANK[said] > RANK[best]) best = said;
    }
    return failed && best === 'sent' ? 'failed' : best;
  };
  const [first, second] = [of(1), of(2)];
  if (first === 'failed' || second === 'failed') return 'failed';
  return RANK[first] < RANK[second] ? first : second;
}

for (const engine of ENGINES) {
  describe(`delivery reports (${engine})`, () => {
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

    it('delivery reports give the right state even if early, late, repeated or out of order', async () => {
      const part = fc.constantFrom<1 | 2>(1, 2);
      const report = fc.record({ report: fc.constantFrom('delivered', 'read', 'failed'), part });
      const said = fc.array(
        fc.oneof(
          report,
          fc.constant('apply'),
          fc.record({ upTo: fc.constantFrom('delivered', 'read') }),
        ),
        { maxLength: 10 },
      );
      const places = fc.tuple(fc.nat(), fc.nat());
      await fc.assert(
        fc.asyncProperty(said, places, async (others, [one, two]) => {
          const steps = [...others] as Step[];
          const at = one % (steps.length + 1);
          steps.splice(at, 0, 'first sent');
          steps.splice(at + 1 + (two % (steps.length - at)), 0, 'second sent');
          await play(steps);
        }),
        { numRuns: 40 },
      );
    });

    it('a failed message stays failed until all its parts are delivered', async () => {
      const failed = { report: 'failed', part: 2 } as const;
      const delivered = { report: 'delivered', part: 2 } as const;
      const sent = ['first sent', 'second sent'] as const;
      await play([...sent, failed, 'apply', delivered]);
      await play([...sent, failed, 'apply', delivered, { report: 'delivered', part: 1 }]);
    });

    async function play(steps: readonly Step[]): Promise<void> {
      const { applicationId, integrationId, accept, round, settle } = await ownIntegration(store);
      const [id = 0] = await accept('ada');
      const [claimed] = (await round(1)).claimed;
      const ids = [`${id}-1`, `${id}-2`];
      for (const step of steps) {
        if (step === 'apply') await store.receipts.apply(1000, NOW);
        else if (step === 'first sent') {
          const first = {
            state: 'queued',
            partsSent: 1,
            channelIds: JSON.stringify([ids[0]]),
          } as const;
          await round(0, [settle(claimed, { ...first, reportedAs: ids[0] ?? null })]);
        } else if (step === 'second sent') {
          const [again] = (await round(1)).claimed;
          const second = { state: 'sent', partsSent: 2, channelIds: JSON.stringify(ids) } as const;
          await round(0, [settle(again, { ...second, reportedAs: ids[1] ?? null, event: '{}' })]);
        } else {
          const receipts =
            'report' in step
              ? [
                  {
                    channelId: ids[step.part - 1] ?? '',
                    state: step.report,
                    code: null,
                    detail: null,
                  },
                ]
              : [];
          const watermarks =
            'upTo' in step ? [{ recipient: 'ada', state: step.upTo, upTo: NOW + 1000 }] : [];
          await store.inboundEvents.accept([
            { applicationId, integrationId, at: NOW, events: [], receipts, watermarks },
          ]);
        }
      }
      while ((await store.receipts.apply(1000, NOW)).seen > 0);
      const message = await store.messages.get(applicationId, id);
      assert.equal(message?.state, expected(steps));
      const told = (await store.events.list(applicationId, 0, 100)).map(({ type }) => type);
      assert.equal(told[0], 'message.sent', 'the first event is message.sent');
      assert.equal(told.at(-1), `message.${message?.state}`);
      assert.equal(new Set(told).size, told.length, `no event is repeated: ${told.join(', ')}`);
    }

    it('delivery reports for unknown messages and deleted integrations have no effect', async () => {
      const { applicationId, integrationId } = await ownIntegration(store);
      const receipt = { channelId: 'unknown', state: 'read', code: null, detail: null } as const;
      const place = { applicationId, integrationId };
      const report = { ...place, at: NOW, events: [], receipts: [receipt], watermarks: [] };
      await store.inboundEvents.accept([report, { ...report, integrationId: 999_999 }]);
      assert.equal((await store.receipts.apply(1000, NOW)).seen, 0);
      assert.deepEqual(await store.events.list(applicationId, 0, 9), []);
      assert.ok((await store.receipts.forget(NOW + 1, 1000)) >= 2);
      assert.equal(await store.receipts.forget(NOW + 1, 1000), 0);
    });

    it('delivery reports apply to the original message, not to a later edit with the same channel id', async () => {
      const { applicationId, integrationId, accept, round, settle, state } =
        await ownIntegration(store);
      const ids: number[] = [];
      for (let i = 0; i < 2; i++) {
        ids.push(...(await accept('ada')));
        const [claimed] = (await round(1)).claimed;
        await round(0, [settle(claimed, { channelIds: '["same"]', reportedAs: 'same' })]);
      }
      const receipts = [{ channelId: 'same', state: 'read', code: null, detail: null } as const];
      await store.inboundEvents.accept([
        { applicationId, integrationId, at: NOW, events: [], receipts, watermarks: [] },
      ]);
      while ((await store.receipts.apply(1000, NOW)).seen > 0);
      assert.deepEqual(await Promise.all(ids.map(state)), ['read', 'sent']);
    });

    it('delivery reports are deleted after their retention, and with their application', async () => {
      const { applicationId, integrationId } = await ownIntegration(store);
      const report = { at: NOW, events: [], receipts: [] };
      const watermarks = ['ada', 'bob'].map(
        (recipient, i) => ({ recipient, state: 'read', upTo: NOW + i }) as const,
      );
      await store.inboundEvents.accept([{ ...report, applicationId, integrationId, watermarks }]);
      const left = async () => {
        const rows = await store.engine.db
          .selectFrom('watermarks')
          .select('recipient')
          .where('integrationId', '=', integrationId)
          .execute();
        return rows.map(({ recipient }) => recipient);
      };
      while (await store.retention.removeOld(NOW + 1, 0, 1000));
      assert.deepEqual(await left(), ['bob']);
      await store.applications.delete(1, applicationId, NOW);
      for (const purge of await store.purges.list()) {
        await store.purges.removeReports(purge, 100);
        await store.purges.finish(purge);
      }
      assert.deepEqual(await left(), []);
    });

    it('25,000 delivery reports and inbound events can arrive at once', async () => {
      const { applicationId, integrationId } = await ownIntegration(store);
      const data = { applicationId, type: 'message.received', data: '{}', media: null } as const;
      const events = Array.from({ length: 25_000 }, (_unused, i) => ({
        key: `message ${i}`,
        event: { ...data, createdAt: NOW },
      }));
      const place = { applicationId, integrationId };
      const report = { ...place, at: NOW, events, receipts: [], watermarks: [] };
      assert.deepEqual(await store.inboundEvents.accept([report]), [events.length]);
      assert.deepEqual(await store.inboundEvents.accept([report]), [0]);
      assert.equal(await store.events.last(applicationId), events.length);
    });

    if (engine !== 'postgres') return;

    /** Sends a message in these parts, in this order. */
    async function sendParts(own: Awaited<ReturnType<typeof ownIntegration>>, ...ids: string[]) {
      const { accept, round, settle } = own;
      const [id = 0] = await accept('ada');
      for (const [i, reportedAs] of ids.entries()) {
        const [claimed] = (await round(1)).claimed;
        const state = i === ids.length - 1 ? 'sent' : 'queued';
        const channelIds = JSON.stringify(ids.slice(0, i + 1));
        await round(0, [settle(claimed, { state, partsSent: i + 1, channelIds, reportedAs })]);
      }
      return id;
    }

    const receiptOf = (channelId: string) =>
      ({ channelId, state: 'read', code: null, detail: null }) as const;

    const partOf = (integrationId: number, channelId: string) =>
      sql`select 1 from parts where integration_id = ${integrationId} and channel_id = ${channelId}
        for update nowait`;

    it('storing delivery reports locks parts in a fixed order', async () => {
      const own = await ownIntegration(store);
      const { applicationId, integrationId } = own;
      await sendParts(own, 'b', 'a');
      const receipts = [receiptOf('b'), receiptOf('a')];
      await whileHeld(
        store,
        partOf(integrationId, 'a'),
        () =>
          store.inboundEvents.accept([
            { applicationId, integrationId, at: NOW, events: [], receipts, watermarks: [] },
          ]),
        partOf(integrationId, 'b'),
      );
    });

    it('applying delivery reports locks parts in the same order', async () => {
      const own = await ownIntegration(store);
      const { integrationId } = own;
      await sendParts(own, 'b', 'a');
      await whileHeld(
        store,
        partOf(integrationId, 'a'),
        () => store.receipts.apply(1000, NOW),
        partOf(integrationId, 'b'),
      );
    });

    it('delivery reports for a locked message are applied once it is unlocked', async () => {
      const own = await ownIntegration(store);
      const { applicationId, integrationId, state } = own;
      const [one, two] = [await sendParts(own, 'one'), await sendParts(own, 'two')];
      const receipts = [receiptOf('one'), receiptOf('two')];
      const place = { applicationId, integrationId };
      const report = { ...place, at: NOW, events: [], receipts, watermarks: [] };
      await store.inboundEvents.accept([report]);
      await store.engine.db.transaction().execute(async (trx) => {
        await sql`select 1 from messages where id = ${two} for update`.execute(trx);
        await store.receipts.apply(1000, NOW);
        assert.deepEqual([await state(one), await state(two)], ['read', 'sent']);
      });
      await store.receipts.apply(1000, NOW);
      assert.equal(await state(two), 'read');
    });

    it('delivery reports for everything up to a time apply to messages sent while they are stored', async () => {
      const { applicationId, integrationId, accept, round, settle, state } =
        await ownIntegration(store);
      const watermarks = [{ recipient: 'ada', state: 'read', upTo: NOW + 1000 } as const];
      const place = { applicationId, integrationId };
      const report = { ...place, at: NOW, events: [], receipts: [], watermarks, cursor: 'x' };
      const [id = 0] = await accept('ada');
      const [claimed] = (await round(1)).claimed;
      let stored: Promise<unknown> = Promise.resolve();
      await store.engine.db.transaction().execute(async (trx) => {
        await sql`select 1 from integrations where id = ${integrationId} for update`.execute(trx);
        stored = store.inboundEvents.accept([report]);
        await somebodyWaits(store);
        await round(0, [settle(claimed, { reportedAs: 'part', channelIds: '["part"]' })]);
        await store.receipts.apply(1000, NOW);
      });
      await stored;
      await store.receipts.apply(1000, NOW);
      assert.equal(await state(id), 'read');
    });
  });
}
