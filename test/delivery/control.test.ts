import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { contentOf, createGate } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import {
  type DeliveryService,
  openWebhookDelivery,
  whenSent,
} from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const unavailable = { status: 503 };

type DispatchRound = (sb: DeliveryService) => Promise<unknown>;

for (const engine of ENGINES) {
  describe(`disabling and deleting (${engine})`, () => {
    /** On a stopped clock, so that delivery can only continue at once. */
    async function start() {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      const answer = createGate();
      sb.peer.react = async () => {
        await answer.opened;
        return { status: 204 };
      };
      const under = await sb.send('in flight', 'ada');
      const queued = await sb.send('queued', 'ada');
      await until('the first request', () => sb.peer.inFlight === 1);
      return { clock, sb, answer, under, queued };
    }

    const DISABLED: readonly (readonly [string, DispatchRound, DispatchRound])[] = [
      [
        'integration',
        ({ app, integrationId }) => app.delete(`/1/integrations/${integrationId}/disable`),
        ({ app, integrationId }) =>
          app.put(`/1/integrations/${integrationId}`, { name: 'webhook', state: 'enable' }),
      ],
      [
        'application',
        ({ api, applicationId }) => api.delete(`/1/applications/${applicationId}/disable`),
        ({ api, applicationId }) =>
          api.put(`/1/applications/${applicationId}`, { state: 'enable' }),
      ],
    ];
    for (const [what, disable, enable] of DISABLED) {
      it(`holds queued messages while the ${what} is disabled and sends them once it is enabled`, async () => {
        const { sb, answer, under, queued } = await start();
        await using _ = sb;
        await disable(sb);
        answer.open();
        assert.equal((await sb.settled(under)).state, 'sent', 'the message in flight is finished');
        const { until: end } = await sb.waiting(queued, 'disabled');
        assert.equal(end, null);
        assert.deepEqual(sb.peer.seen.map(contentOf), ['in flight']);
        await enable(sb);
        assert.equal((await sb.settled(queued)).state, 'sent');
        assert.deepEqual(sb.peer.seen.map(contentOf), ['in flight', 'queued']);
      });

      it(`does not retry while the ${what} is disabled`, async () => {
        const clock = new TestClock();
        await using sb = await openWebhookDelivery(engine, { clock });
        sb.peer.next(unavailable);
        const id = await sb.send('Hello', 'ada');
        await sb.waiting(id, 'retry');
        await disable(sb);
        for (let i = 0; i < 10; i++) {
          clock.advance(1000);
          assert.equal((await sb.show(id)).waiting?.reason, 'disabled');
        }
        assert.equal(sb.peer.seen.length, 1);
        await enable(sb);
        assert.equal((await sb.settled(id)).state, 'sent');
      });
    }

    it('deleting the integration cancels queued messages', async () => {
      const { sb, answer, under, queued } = await start();
      await using _ = sb;
      const other = await sb.send('to another', 'charles');
      await sb.message(other, ({ state }) => state === 'sending');
      await sb.app.delete(`/1/integrations/${sb.integrationId}`);
      answer.open();
      assert.equal((await sb.settled(queued)).state, 'canceled');
      for (const id of [under, other]) assert.equal((await sb.settled(id)).state, 'sent');
      assert.deepEqual(sb.peer.seen.map(contentOf), ['in flight', 'to another']);
      const { status, body } = await sb.app.post(`/1/messages/${queued}/resend`);
      assert.deepEqual([status, body.code], [422, 'no_integration']);
    });

    it('deleting the integration cancels messages waiting for a retry', async () => {
      const { clock, sb, answer, under } = await start();
      await using _ = sb;
      sb.peer.react = () => unavailable;
      const other = await sb.send('to another', 'charles');
      await sb.waiting(other, 'retry');
      sb.peer.react = () => ({ status: 204 });
      await sb.app.delete(`/1/integrations/${sb.integrationId}`);
      answer.open();
      assert.equal((await sb.settled(other)).state, 'canceled');
      assert.equal((await sb.settled(under)).state, 'sent');
      clock.advance(5000);
      assert.equal(sb.peer.seen.length, 2);
    });

    it('sends nothing after the application is deleted', async () => {
      const { clock, sb, answer } = await start();
      await using _ = sb;
      await sb.api.delete(`/1/applications/${sb.applicationId}`);
      answer.open();
      const { store } = sb.service;
      await until('no messages are left', async () => {
        const { items } = await store.messages.list(sb.applicationId, {}, { limit: 1 });
        return items.length === 0;
      });
      clock.advance(120_000);
      await until('the purge', async () => (await store.purges.list()).length === 0);
      for (const table of ['lanes', 'ownerships', 'attempts'] as const) {
        const { db } = store.engine;
        assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [], table);
      }
      assert.deepEqual(sb.peer.seen.map(contentOf), ['in flight']);
    });
  });

  describe(`canceling and resending (${engine})`, () => {
    const conflict = [409, 'message_settled'];
    const unsettled = [409, 'message_unsettled'];

    async function start() {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      return {
        clock,
        sb,
        async cancel(id: number) {
          const { status, body } = await sb.app.delete(`/1/messages/${id}`);
          return [status, body?.code];
        },
        async resend(id: number) {
          const { status, body } = await sb.app.post(`/1/messages/${id}/resend`);
          return status === 202 ? [status, body.state] : [status, body.code];
        },
      };
    }

    it('cancels queued messages but never those in flight or sent', async () => {
      const { sb, cancel, resend } = await start();
      await using _ = sb;
      const answer = createGate();
      sb.peer.react = async () => {
        await answer.opened;
        return { status: 204 };
      };
      const under = await sb.send('in flight', 'ada');
      const queued = await sb.send('queued', 'ada');
      const last = await sb.send('last', 'ada');
      await until('the first request', () => sb.peer.inFlight === 1);
      assert.deepEqual(await cancel(under), conflict);
      assert.deepEqual(await resend(under), unsettled);
      assert.deepEqual(await resend(queued), unsettled);
      assert.deepEqual(await cancel(queued), [204, undefined]);
      assert.deepEqual(await cancel(queued), [204, undefined], 'canceling twice succeeds');
      const canceled = await sb.show(queued);
      assert.deepEqual([canceled.state, canceled.waiting], ['canceled', null]);
      answer.open();
      assert.equal((await sb.settled(last)).state, 'sent');
      assert.equal((await sb.settled(under)).state, 'sent');
      assert.deepEqual(await cancel(under), conflict);
      assert.deepEqual(await resend(under), unsettled);
      assert.deepEqual(sb.peer.seen.map(contentOf), ['in flight', 'last']);
      assert.deepEqual(await resend(queued), [202, 'queued']);
      assert.equal((await sb.settled(queued)).state, 'sent');
    });

    it('canceling a message that waits for a retry starts the next one at once', async () => {
      const { sb, cancel } = await start();
      await using _ = sb;
      sb.peer.next(unavailable);
      const first = await sb.send('first', 'ada');
      const second = await sb.send('second', 'ada');
      await sb.waiting(first, 'retry');
      await sb.waiting(second, 'order');
      assert.deepEqual(await cancel(first), [204, undefined]);
      assert.equal((await sb.settled(second)).state, 'sent');
      assert.deepEqual(sb.peer.seen.map(contentOf), ['first', 'second']);
    });

    it('canceling a later message leaves the retry time of the first unchanged', async () => {
      const { clock, sb, cancel } = await start();
      await using _ = sb;
      sb.peer.next(unavailable);
      const first = await sb.send('first', 'ada');
      const second = await sb.send('second', 'ada');
      await sb.waiting(second, 'order');
      await sb.waiting(first, 'retry');
      assert.deepEqual(await cancel(second), [204, undefined]);
      assert.equal((await sb.show(first)).waiting?.reason, 'retry');
      await whenSent(sb, clock, first);
      assert.deepEqual(sb.peer.seen.map(contentOf), ['first', 'first']);
    });

    it('resends a failed message like a new one', async () => {
      const { sb, resend } = await start();
      await using _ = sb;
      sb.peer.next({ status: 400, body: 'not found' });
      const id = await sb.send('Hello', 'ada');
      assert.equal((await sb.settled(id)).state, 'failed');
      assert.deepEqual(await resend(id), [202, 'queued']);
      const sent = await sb.settled(id);
      assert.deepEqual([sent.state, sent.failed_attempts, sent.error], ['sent', 0, null]);
      const outcomes = (await sb.attempts(id)).map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ['permanent', 'sent']);
    });

    it('finds no message of another application', async () => {
      const { sb } = await start();
      await using _ = sb;
      sb.peer.next({ status: 400 });
      const id = await sb.send('Hello', 'ada');
      await sb.settled(id);
      const { app: stranger } = await sb.service.application();
      assert.equal((await stranger.post(`/1/messages/${id}/resend`)).status, 404);
      assert.equal((await stranger.delete(`/1/messages/${id}`)).status, 404);
      assert.equal((await stranger.get(`/1/messages/${id}/attempts`)).status, 404);
      assert.equal((await sb.app.post('/1/messages/987654321/resend')).status, 404);
      assert.equal((await sb.show(id)).state, 'failed');
    });
  });
}
