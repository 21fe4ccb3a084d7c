import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { TOKEN, openTelegram } from '../emulators/telegram.ts';
import { TestClock } from '../support/clock.ts';
import { integrate } from '../support/service/activity.ts';
import {
  type DeliveryService,
  openDelivery,
  openWebhookDelivery,
} from '../support/service/delivery.ts';
import { eventsOf, feedOf } from '../support/service/feed.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

interface Health {
  state: string;
  since: string | null;
  last_error: string | null;
  last_error_at: string | null;
  last_success_at: string | null;
  waiting: number;
}

interface Problem {
  kind: string;
  integration_id: number | null;
}

type Tested = Pick<DeliveryService, 'app' | 'integrationId'>;

const healthOf = async ({ app, integrationId }: Tested): Promise<Health> =>
  (await app.get(`/1/integrations/${integrationId}`)).body.health;
const healthIn = (state: string, sb: Tested) =>
  until(`the integration is ${state}`, async () => {
    const health = await healthOf(sb);
    return health.state === state && health;
  });
const countOf = async ({ app }: Tested, type: string) =>
  (await feedOf(app)).filter((event) => event.type === type).length;

for (const engine of ENGINES) {
  describe(`integration health (${engine})`, () => {
    it('integration health is failing after the second consecutive failed attempt and works again after a success', async () => {
      await using sb = await openWebhookDelivery(engine);
      assert.deepEqual(await healthOf(sb), {
        state: 'unknown',
        since: null,
        last_error: null,
        last_error_at: null,
        last_success_at: null,
        waiting: 0,
        receiving: null,
      });
      sb.peer.react = () => ({ status: 500, body: 'out of order' });
      await sb.sendAll([
        { text: 'a', to: 'ada' },
        { text: 'b', to: 'bob' },
        { text: 'c', to: 'cy' },
      ]);
      const failing = await healthIn('failing', sb);
      assert.match(failing.last_error ?? '', /500.*out of order/);
      assert.ok(failing.since && failing.last_error_at && failing.since <= failing.last_error_at);
      await until('all messages wait', async () => (await healthOf(sb)).waiting === 3);
      const [event] = await eventsOf(sb.app, 'integration.failing');
      assert.deepEqual(
        [event?.data.integration_id, event?.data.channel, event?.data.reason, event?.data.since],
        [sb.integrationId, 'webhook', 'transient', failing.since],
      );
      assert.match(event?.data.detail, /500/);

      sb.peer.react = () => ({ status: 204 });
      await sb.settled(await sb.send('d', 'dan'));
      await eventsOf(sb.app, 'integration.recovered');
      const well = await healthIn('working', sb);
      assert.equal(well.since, null);
      assert.match(well.last_error ?? '', /500/, 'the last error is kept');
      await until('counted', async () => (await healthOf(sb)).last_success_at !== null);
      await sb.settled(await sb.send('e', 'eve'));
      assert.equal(await countOf(sb, 'integration.failing'), 1);
      assert.equal(await countOf(sb, 'integration.recovered'), 1);

      sb.peer.react = () => ({ status: 500 });
      await sb.sendAll([
        { text: 'f', to: 'fay' },
        { text: 'g', to: 'gus' },
      ]);
      await eventsOf(sb.app, 'integration.failing', 2);
    });

    it('integration health is not failing after one failed attempt', async () => {
      // The clock stands still, so nothing is retried.
      await using sb = await openWebhookDelivery(engine, { clock: new TestClock() });
      sb.peer.react = () => ({ status: 500 });
      await sb.waiting(await sb.send('a', 'ada'), 'retry');
      const { state, since, last_error: error } = await healthOf(sb);
      assert.deepEqual([state, since], ['unknown', null]);
      assert.match(error ?? '', /500/);
      await sb.waiting(await sb.send('b', 'bob'), 'retry');
      assert.equal((await healthOf(sb)).state, 'failing');
    });

    it('integration health stays working when a success comes between two failures', async () => {
      await using sb = await openWebhookDelivery(engine, { clock: new TestClock() });
      for (const name of ['ada', 'bob', 'cy']) {
        sb.peer.next({ status: 500 });
        await sb.waiting(await sb.send('fails', name), 'retry');
        await sb.settled(await sb.send('arrives', `${name}-2`));
      }
      assert.equal((await healthIn('working', sb)).since, null);
      assert.equal(await countOf(sb, 'integration.failing'), 0);
    });

    it('integration health ignores failures by content, recipients and rate limits', async () => {
      await using sb = await openWebhookDelivery(engine);
      sb.peer.react = () => ({ status: 422 });
      const ids = await sb.sendAll(['a', 'b', 'c'].map((to) => ({ text: 'no', to })));
      for (const id of ids) assert.equal((await sb.settled(id)).state, 'failed');
      assert.equal((await healthOf(sb)).state, 'unknown');
      sb.peer.react = () => ({ status: 429, headers: { 'retry-after': '600' } });
      await sb.waiting(await sb.send('d', 'dan'), 'rate_limit');
      const limited = await healthIn('limited', sb);
      assert.equal(limited.since, null);
      assert.equal(limited.waiting, 1);
      assert.equal(await countOf(sb, 'integration.failing'), 0);
    });

    it('integration health is paused when the credentials are refused and disabled when the integration is', async () => {
      await using sb = await openWebhookDelivery(engine);
      sb.peer.react = () => ({ status: 401 });
      await sb.send('a', 'ada');
      const paused = await healthIn('paused', sb);
      assert.ok(paused.since);
      assert.match(paused.last_error ?? '', /401/);
      await sb.app.delete(`/1/integrations/${sb.integrationId}/disable`);
      assert.equal((await healthOf(sb)).state, 'disabled');
      assert.equal(await countOf(sb, 'integration.failing'), 1);
    });

    it('counts refused connections of an email server', async () => {
      await using sb = await openWebhookDelivery(engine);
      const { id: integrationId } = await integrate(sb.app, sb.applicationId, {
        name: 'email',
        address: 'smtp://127.0.0.1:1',
        username: 'shop@example.com',
      });
      const email = { app: sb.app, integrationId };
      for (const to of ['ada@example.com', 'bob@example.com']) {
        const generator = { type: 'Service', id: String(integrationId) };
        await sb.send('hello', to, { generator });
      }
      const failing = await healthIn('failing', email);
      assert.ok(failing.last_error);
      assert.equal(failing.last_success_at, null);
      await until('both messages wait', async () => (await healthOf(email)).waiting === 2);
    });

    it('integration health follows a check: failing when it fails, recovered when it passes', async () => {
      await using sb = await openDelivery(engine, {
        channel: 'telegram',
        open: openTelegram,
        credentials: { token: TOKEN },
      });
      const check = async () =>
        (await sb.app.post(`/1/integrations/${sb.integrationId}/check`, {})).body.status;
      assert.equal(await check(), 'ok');
      assert.equal(await countOf(sb, 'integration.recovered'), 0, 'the integration never failed');
      for (let i = 0; i < 2; i++) {
        sb.peer.next({ status: 502, body: 'bad gateway' });
        assert.equal(await check(), 'unreachable');
      }
      const failing = await healthOf(sb);
      assert.equal(failing.state, 'failing');
      assert.ok(failing.since && failing.last_error);
      const [event] = await eventsOf(sb.app, 'integration.failing');
      assert.equal(event?.data.since, failing.since);
      assert.equal(await countOf(sb, 'integration.failing'), 1);
      const { body } = await sb.app.get('/1/overview');
      assert.deepEqual(
        body.problems.map(({ kind, integration_id: id }: Problem) => [kind, id]),
        [['integration_failing', sb.integrationId]],
      );

      assert.equal(await check(), 'ok');
      assert.notEqual((await healthOf(sb)).state, 'failing');
      assert.equal(await countOf(sb, 'integration.recovered'), 1);
      assert.deepEqual((await sb.app.get('/1/overview')).body.problems, []);
    });

    it('a passing check resumes an integration paused for its credentials', async () => {
      await using sb = await openDelivery(engine, {
        channel: 'telegram',
        open: openTelegram,
        credentials: { token: TOKEN },
      });
      const unauthorized = { ok: false, error_code: 401, description: 'Unauthorized' };
      sb.peer.next({ status: 401, body: unauthorized });
      await sb.send('a', '123456789');
      await healthIn('paused', sb);
      const waiting = await sb.send('b', '123456789');
      await sb.waiting(waiting, 'credentials');
      const { body } = await sb.app.post(`/1/integrations/${sb.integrationId}/check`, {});
      assert.equal(body.status, 'ok');
      assert.equal((await sb.settled(waiting)).state, 'sent');
      await healthIn('working', sb);
      assert.equal(await countOf(sb, 'integration.recovered'), 1);
    });
  });
}
