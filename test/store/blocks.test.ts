import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import type { ConsentBlock } from '../../src/model/sending/consent.ts';
import { openStore } from '../../src/setup.ts';
import type { Store } from '../../src/store/store.ts';
import { ENGINES, type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { NOW, ownIntegration } from '../support/store/dispatch.ts';

const KEY = 'email:ada@example.com';

/* Delivery reports that end messages to an address. */
for (const engine of ENGINES) {
  describe(`blocks in delivery reports (${engine})`, () => {
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

    /** A sent message, and reports on it. */
    async function sent(consentKey: string | null = KEY) {
      const owned = await ownIntegration(store);
      const { applicationId, integrationId, round, settle } = owned;
      const message = {
        applicationId,
        integrationId,
        recipient: 'ada@example.com',
        activity: '{}',
        objectId: null,
        type: 'Create' as const,
        expiresAt: null,
        createdAt: NOW,
        consentKey,
      };
      await store.messages.accept([{ messages: [message] }]);
      const report = (state: 'failed' | 'delivered', block: ConsentBlock | null) =>
        store.inboundEvents.accept([
          {
            applicationId,
            integrationId,
            at: NOW,
            events: [],
            receipts: [{ channelId: '<m-1>', state, code: '5.1.1', detail: 'No such user', block }],
            watermarks: [],
          },
        ]);
      return {
        applicationId,
        report,
        async send() {
          const [claimed] = (await round(1)).claimed;
          const done = { channelIds: '["<m-1>"]', reportedAs: '<m-1>', event: '{}' };
          await round(0, [settle(claimed, done)]);
        },
        apply: () => store.receipts.apply(1000, NOW),
        consents: async () =>
          (await store.consents.of(applicationId, KEY)).map(
            ({ scope, state, source }) => `${scope} ${state} ${source}`,
          ),
        types: async () => (await store.events.list(applicationId, 0, 100)).map(({ type }) => type),
      };
    }

    it('a bounce blocks the address of the message, with its event', async () => {
      const message = await sent();
      await message.send();
      await message.report('failed', 'bounce');
      await message.apply();
      assert.deepEqual(await message.consents(), ['vendor revoked bounce']);
      assert.deepEqual(await message.types(), [
        'message.sent',
        'message.failed',
        'consent.revoked',
      ]);
      const [change] = await store.consents.changes(message.applicationId, KEY);
      assert.equal(change?.evidence, 'No such user');
    });

    it('a report that precedes the message blocks it too', async () => {
      const message = await sent();
      await message.report('failed', 'vendor');
      await message.apply();
      assert.deepEqual(await message.consents(), []);
      await message.send();
      await message.apply();
      assert.deepEqual(await message.consents(), ['vendor revoked vendor']);
    });

    it('a complaint about a delivered message ends all messages, and the state stays', async () => {
      const message = await sent();
      await message.send();
      await message.report('delivered', null);
      await message.apply();
      await message.report('delivered', 'complaint');
      await message.apply();
      await message.report('delivered', 'complaint');
      await message.apply();
      assert.deepEqual(await message.consents(), ['all revoked complaint']);
      assert.deepEqual(await message.types(), [
        'message.sent',
        'message.delivered',
        'consent.revoked',
      ]);
    });

    it('a report on a message that needs no consent blocks no address', async () => {
      const message = await sent(null);
      await message.send();
      await message.report('failed', 'bounce');
      await message.apply();
      assert.deepEqual(await message.consents(), []);
    });

    it('the vendor lifts its own block, and grants nothing else', async () => {
      const { applicationId } = await ownIntegration(store);
      const change = (state: 'granted' | 'revoked') =>
        store.consents.change([
          {
            applicationId,
            key: KEY,
            scope: 'vendor',
            state,
            source: 'vendor',
            evidence: null,
            at: NOW,
          },
        ]);
      assert.deepEqual(await change('granted'), []);
      assert.deepEqual(await store.consents.changes(applicationId, KEY), []);
      await change('revoked');
      assert.equal((await change('granted')).length, 1);
      assert.equal((await store.consents.changes(applicationId, KEY)).length, 2);
    });
  });
}
