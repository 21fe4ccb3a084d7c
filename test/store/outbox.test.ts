import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import { readSources, withoutComments } from '../support/sources.ts';
import { ENGINES, createDatabase } from '../support/store/databases.ts';
import { NOW } from '../support/store/dispatch.ts';

/** The files that name the outbox: they treat messages and webhook deliveries alike, or write to it. */
const BOTH_KINDS = [
  'src/store/delivery/deliveries.ts',
  'src/store/feed/endpoint-queue.ts',
  'src/store/feed/endpoints.ts',
  'src/store/feed/webhook-deliveries.ts',
  'src/store/messages/enqueue.ts',
  'src/store/messages/lanes.ts',
  'src/store/messages/messages.ts',
  'src/store/messages/queue.ts',
  'src/store/messages/receipts.ts',
  'src/store/messages/schedule.ts',
  'src/store/messages/transitions.ts',
  'src/store/migrations/0001-initial.ts',
  'src/store/migrations/initial/messages.ts',
  'src/store/people/address-moves.ts',
  'src/store/people/erased-rows.ts',
  'src/store/people/personal-data.ts',
  'src/store/postgres/accept.ts',
  'src/store/postgres/dispatch-round.ts',
  'src/store/postgres/partitions.ts',
  'src/store/postgres/settle.ts',
  'src/store/routes/release.ts',
  'src/store/schema.ts',
  'src/store/sqlite/accept.ts',
  'src/store/sqlite/dispatch-round.ts',
  'src/store/statistics/overview.ts',
  'src/store/tables.ts',
  'src/store/upkeep/purges.ts',
  'src/store/upkeep/retention.ts',
];

const CREATE = { activity: '{}', objectId: null, type: 'Create', expiresAt: null } as const;

/** Messages that are counted before the pause that leaves the store to others. */
const COUNT_BATCH = 5_000;

describe('the outbox', () => {
  it('only code that treats messages and webhook deliveries alike names the outbox', () => {
    const naming = [...readSources('src/store/**/*.ts')]
      .filter(([, text]) => /\boutbox/.test(withoutComments(text)))
      .map(([path]) => path);
    assert.deepEqual(naming.toSorted(), BOTH_KINDS);
  });

  for (const engine of ENGINES) {
    it(`a message is no webhook delivery and a delivery is no message, though both are in the outbox (${engine})`, async () => {
      await using stack = new AsyncDisposableStack();
      const database = await createDatabase(engine, { migrated: true });
      stack.defer(() => database.dispose());
      const store = await openStore(readConfig(database.environment));
      stack.defer(() => store.close());

      const [applicationId, integrationId] = [await store.nextId(), await store.nextId()];
      const dated = { createdAt: NOW, updatedAt: NOW };
      const of = { teamId: 1, ownerId: 1, uncertain: 'resend', state: 'enable' } as const;
      const webhookUrl = 'https://example.com/hook';
      await store.applications.insert({
        id: applicationId,
        name: 'a',
        webhookUrl,
        ...of,
        ...dated,
      });
      const message = { applicationId, integrationId, recipient: 'ada', ...CREATE, createdAt: NOW };
      const [accepted] = await store.messages.accept([{ messages: [message] }]);
      assert.ok(accepted && 'ids' in accepted);
      const event = { applicationId, type: 'message.sent', data: '{}', media: null } as const;
      await store.events.append([{ ...event, createdAt: NOW }]);
      await store.endpoints.copyToQueue(applicationId, () => '{}', NOW);

      const { items: deliveries } = await store.webhookDeliveries.list(
        applicationId,
        {},
        { limit: 9 },
      );
      const { items: messages } = await store.messages.list(applicationId, {}, { limit: 9 });
      const idsOf = (items: readonly { id: number }[]) => items.map(({ id }) => id);
      assert.deepEqual(idsOf(messages), accepted.ids);
      assert.equal(deliveries.length, 1);
      const both = [...accepted.ids, ...idsOf(deliveries)];
      const rows = await store.engine.db.selectFrom('outbox').select('id').orderBy('id').execute();
      assert.deepEqual(idsOf(rows), both);
      assert.deepEqual(idsOf(await store.messages.getAll(applicationId, both)), accepted.ids);
      for (const id of idsOf(deliveries)) {
        assert.equal(await store.messages.get(applicationId, id), undefined);
        assert.equal(await store.lanes.cancel(applicationId, id, NOW), undefined);
      }
      for (const id of accepted.ids) {
        assert.equal(await store.webhookDeliveries.get(applicationId, id), undefined);
      }
    });

    it(`the queue is counted in batches of ${COUNT_BATCH} messages (${engine})`, async () => {
      await using stack = new AsyncDisposableStack();
      const database = await createDatabase(engine, { migrated: true });
      stack.defer(() => database.dispose());
      const store = await openStore(readConfig(database.environment));
      stack.defer(() => store.close());
      const [applicationId, integrationId] = [await store.nextId(), await store.nextId()];
      const batches = async (messages: number) => {
        const message = { applicationId, integrationId, ...CREATE, createdAt: NOW };
        await store.messages.accept([
          {
            messages: Array.from({ length: messages }, (_, i) =>
              Object.assign({}, message, { recipient: `r${i % 7}` }),
            ),
          },
        ]);
        const found: [total: number, isLast: boolean][] = [];
        for await (const { counts, isLast } of store.lanes.depths()) {
          found.push([counts.reduce((sum, { count }) => sum + count, 0), isLast]);
        }
        return found;
      };
      assert.deepEqual(await batches(COUNT_BATCH), [
        [COUNT_BATCH, false],
        [0, true],
      ]);
      assert.deepEqual(await batches(1), [
        [COUNT_BATCH, false],
        [1, true],
      ]);
    });
  }
});
