import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type SandboxService, openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';

/* What vendors report that messages cost. */
for (const engine of ENGINES) {
  describe(`costs (${engine})`, () => {
    let sandboxes: SandboxService;
    before(async () => {
      sandboxes = await openSandboxes(engine);
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    it('a message shows the reported cost, and statistics add it once', async () => {
      const sandbox = await sandboxes.open('whatsapp');
      const { app, applicationId } = sandbox;
      const id = await sandbox.send({ type: 'Note', content: 'Hello' });
      const shown = await sandbox.shown('the text', ({ text }) => text === 'Hello');
      for (const state of ['delivered', 'delivered', 'read']) {
        const { status } = await sandbox.act('receipts', { message: shown.id, state });
        assert.equal(status, 204);
      }
      const { cost } = await sandbox.message(id, ({ state }) => state === 'read');
      assert.deepEqual(cost, {
        amount: null,
        currency: null,
        category: 'utility',
        billable: true,
      });
      const { body } = await app.get('/1/statistics?mode=sandbox');
      assert.deepEqual(body.costs, [
        {
          application_id: applicationId,
          channel: 'whatsapp',
          amount: null,
          currency: null,
          category: 'utility',
          parts: 1,
        },
      ]);
    });

    it('Twilio is asked for the price of a delivered message', async () => {
      const sandbox = await sandboxes.open('twilio');
      const id = await sandbox.send({ type: 'Note', content: 'Hello' });
      const shown = await sandbox.shown('the text', ({ text }) => text === 'Hello');
      await sandbox.act('receipts', { message: shown.id, state: 'delivered' });
      const { cost } = await sandbox.message(id, ({ state }) => state === 'delivered');
      assert.deepEqual([cost.amount, cost.currency], ['0.0075', 'USD']);
      const { body } = await sandbox.app.get('/1/statistics?mode=sandbox');
      assert.partialDeepStrictEqual(body.costs, [
        { channel: 'twilio', amount: '0.0075', currency: 'USD', parts: 1 },
      ]);
      const live = await sandbox.app.get('/1/statistics');
      assert.deepEqual(live.body.costs, []);
    });

    it('a message without a reported cost has none', async () => {
      const sandbox = await sandboxes.open('telegram');
      const id = await sandbox.send({ type: 'Note', content: 'Hello' });
      const message = await sandbox.message(id, ({ state }) => state === 'sent');
      assert.equal(message.cost, undefined);
      assert.deepEqual((await sandbox.app.get('/1/statistics')).body.costs, []);
    });
  });
}
