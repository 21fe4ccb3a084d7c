import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { CurrentProblem, Webhook } from '../../sdk/src/index.ts';
import type { EngineName } from '../../src/store/schema.ts';
import { openEndpoint } from '../emulators/endpoint.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/** An application with a webhook, and a feed to which the test adds events. */
async function open(engine: EngineName) {
  const endpoint = await openEndpoint();
  const sb = await startTestService(engine, { environment: { SWITCHBOARD_ROLE: 'all' } });
  const { application } = await sb.application({ webhook_url: `${endpoint.url}/hook` });
  const path = `/1/applications/${application.id}/webhook`;
  return {
    sb,
    endpoint,
    path,
    show: async () => (await sb.api.get(path)).body,
    shown: (what: string, isWanted: (webhook: Webhook) => boolean) =>
      until(what, async () => {
        const { body } = await sb.api.get(path);
        return isWanted(body as Webhook) && (body as Webhook);
      }),
    async emit(count: number) {
      await sb.store.events.append(
        Array.from({ length: count }, () => ({
          applicationId: Number(application.id),
          type: 'message.sent' as const,
          data: '{}',
          media: null,
          createdAt: Date.now(),
        })),
      );
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([sb[Symbol.asyncDispose](), endpoint.close()]);
    },
  };
}

for (const engine of ENGINES) {
  describe(`webhook health (${engine})`, () => {
    it('webhook health is failing while the endpoint answers 500, with the time, the response, the backlog and the blocking event', async () => {
      await using world = await open(engine);
      const { endpoint, sb, path } = world;
      await world.emit(1);
      await world.shown('the first event is delivered', ({ waiting }) => waiting === 0);
      assert.equal(endpoint.seen.length, 1);
      endpoint.react = () => ({ status: 500, body: 'maintenance' });
      await world.emit(260);
      const failing = await world.shown('it fails', ({ state }) => state === 'failing');
      assert.equal(failing.waiting, 260);
      assert.ok(failing.failing_since && failing.last_answer && failing.blocking);
      assert.match(failing.reason ?? '', /500/);
      assert.deepEqual(
        [failing.last_answer.status, failing.last_answer.body],
        ['500', 'maintenance'],
      );
      assert.ok(failing.last_answer.at >= failing.failing_since);
      assert.equal(failing.blocking.event_id, 2);
      assert.ok(failing.blocking.attempts >= 2);
      const { body } = await sb.api.get(`${path}/deliveries/${failing.blocking.id}`);
      assert.equal(body.event_id, 2);
      const { problems } = (await sb.api.get('/1/overview')).body;
      assert.deepEqual(
        problems.map(({ kind, since }: CurrentProblem) => [kind, since]),
        [['webhook_failing', failing.failing_since]],
      );

      endpoint.react = () => ({ status: 204 });
      await sb.api.post(`${path}/resume`, {});
      const well = await world.shown('all events are delivered', ({ waiting }) => waiting === 0);
      assert.deepEqual(
        [well.state, well.failing_since, well.blocking, well.last_answer, well.reason],
        ['enable', null, null, null, null],
      );
    });

    it('webhook health recovers when a retry succeeds', async () => {
      await using world = await open(engine);
      const { endpoint } = world;
      endpoint.react = () => 'reset';
      await world.emit(3);
      const failing = await world.shown('it fails', ({ state }) => state === 'failing');
      assert.equal(failing.last_answer?.status, null);
      assert.ok(failing.last_answer?.detail);
      endpoint.react = () => ({ status: 200 });
      const well = await world.shown('it is delivered', ({ state }) => state === 'enable');
      assert.equal(well.failing_since, null);
      await world.shown('all events are delivered', ({ waiting }) => waiting === 0);
      assert.deepEqual((await world.sb.api.get('/1/overview')).body.problems, []);
    });

    it('webhook health is paused with the blocking event once the endpoint answers 410', async () => {
      await using world = await open(engine);
      world.endpoint.react = () => ({ status: 410 });
      await world.emit(2);
      // The pause is stored before the attempt, so that no restart between the two posts the event again.
      const isRecorded = ({ state, last_answer }: Webhook) =>
        state === 'paused' && last_answer !== null;
      const paused = await world.shown('it is paused with the attempt', isRecorded);
      assert.deepEqual([paused.blocking?.event_id, paused.last_answer?.status], [1, '410']);
      assert.ok(paused.failing_since);
      await until('both events wait', async () => (await world.show()).waiting >= 2);
    });

    it('reports the pause once though it was failing before', async () => {
      await using world = await open(engine);
      world.endpoint.react = () => ({ status: 500 });
      await world.emit(1);
      await world.shown('it fails', ({ state }) => state === 'failing');
      world.endpoint.react = () => ({ status: 410 });
      await world.shown('it is paused', ({ state }) => state === 'paused');
      const pauses = await world.sb.store.engine.db
        .selectFrom('events')
        .select('type')
        .where('type', 'in', ['webhook.paused', 'integration.failing'])
        .execute();
      assert.deepEqual(pauses, [{ type: 'webhook.paused' }]);
    });
  });
}
