import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createGate } from '../emulators/endpoint.ts';
import type { Client } from '../support/service/client.ts';
import { type DeliveryService, openWebhookDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

interface Shown {
  kind: string;
  severity: string;
  what: string;
  detail: string | null;
  since: string | null;
  until: string | null;
  help: string;
  application_id: number;
  integration_id: number | null;
  channel: string | null;
  count: number | null;
}

const problemsOf = async (client: Client) =>
  (await client.get('/1/overview')).body.problems as Shown[];
const problem = (client: Client, kind: string) =>
  until(kind, async () => (await problemsOf(client)).find((one) => one.kind === kind));
const healthOf = async ({ app, integrationId }: DeliveryService) =>
  (await app.get(`/1/integrations/${integrationId}/health`)).body;

for (const engine of ENGINES) {
  describe(`the overview (${engine})`, () => {
    it('shows waiting messages and their age, and the counts of the last day', async () => {
      await using sb = await openWebhookDelivery(engine);
      const calm = (await sb.api.get('/1/overview')).body;
      assert.deepEqual(calm.queue, { waiting: 0, oldest_at: null });
      assert.deepEqual(calm.problems, []);
      await sb.settled(await sb.send('one', 'ada'));
      await sb.change({ state: 'disable' });
      await sb.change({ state: 'enable' });
      sb.peer.next({ status: 429, headers: { 'retry-after': '600' } });
      const first = await sb.send('two', 'ada');
      await sb.waiting(first, 'rate_limit');
      await sb.send('three', 'charles');
      const now = await until('both wait', async () => {
        const { body } = await sb.api.get('/1/overview');
        const { accepted, sent } = body.last_24_hours;
        return body.queue.waiting === 2 && accepted === 3 && sent === 1 && body;
      });
      assert.match(now.queue.oldest_at, /^\d{4}-/);
      assert.deepEqual((await sb.app.get('/1/overview')).body.queue, now.queue);
      const other = await sb.service.otherTeam();
      assert.equal((await other.api.get('/1/overview')).body.queue.waiting, 0);
      const foreign = await other.api.get(`/1/overview?application_id=${sb.applicationId}`);
      assert.equal(foreign.body.queue.waiting, 0);
      const limited = await problem(sb.api, 'integration_limited');
      assert.deepEqual([limited.severity, limited.channel], ['warning', 'webhook']);
      assert.ok(limited.until);
      const health = await healthOf(sb);
      assert.deepEqual([health.state, health.waiting], ['paused', 2]);
      assert.equal(health.paused.reason, 'rate_limit');
    });

    it('the overview lists an integration with refused credentials and its remedy until it is corrected', async () => {
      await using sb = await openWebhookDelivery(engine);
      await sb.settled(await sb.send('hello', 'ada'));
      const well = await until('it is counted', async () => {
        const health = await healthOf(sb);
        return health.last_success_at !== null && health;
      });
      assert.deepEqual(
        [well.state, well.failing_since, well.paused, well.waiting, well.missing],
        ['ok', null, null, 0, []],
      );
      assert.ok(well.owner_node);
      sb.peer.react = () => ({ status: 401, body: 'who are you?' });
      const refused = await sb.send('refused', 'ada');
      const found = await problem(sb.api, 'integration_refused');
      assert.deepEqual(
        [found.severity, found.application_id, found.integration_id, found.channel],
        ['error', sb.applicationId, sb.integrationId, 'webhook'],
      );
      assert.match(found.what, /Webhook/);
      assert.match(found.detail ?? '', /who are you\?/);
      assert.ok(found.help);
      const ill = await healthOf(sb);
      assert.deepEqual([ill.state, ill.paused.reason], ['paused', 'credentials']);
      assert.ok(ill.failing_since && ill.paused.help);
      const answer = createGate();
      sb.peer.react = async () => {
        await answer.opened;
        return { status: 204 };
      };
      await sb.change({ address: `${sb.peer.url}/new` });
      assert.equal((await healthOf(sb)).state, 'failing', 'until a message is sent');
      assert.equal((await problem(sb.api, 'integration_unproven')).severity, 'warning');
      answer.open();
      assert.equal((await sb.settled(refused)).state, 'sent');
      await until('all is well', async () => (await healthOf(sb)).state === 'ok');
      assert.deepEqual(await problemsOf(sb.api), []);
    });

    it('counts uncertain messages', async () => {
      await using sb = await openWebhookDelivery(engine);
      await sb.api.put(`/1/applications/${sb.applicationId}/delivery`, { uncertain: 'hold' });
      // The webhook channel is idempotent, so it leaves no message uncertain; the state is set by hand.
      const id = await sb.send('perhaps', 'ada');
      await sb.settled(id);
      await sb.service.store.engine.db
        .updateTable('outbox')
        .set({ state: 'uncertain' })
        .where('id', '=', id)
        .execute();
      const found = await problem(sb.api, 'messages_uncertain');
      assert.deepEqual([found.severity, found.count], ['error', 1]);
      assert.ok(found.what);
      const list = await sb.app.get('/1/messages?state=uncertain');
      assert.equal(list.body.data.length, 1);
    });

    it('the overview lists a failing webhook and a paused one', async () => {
      await using sb = await openWebhookDelivery(engine);
      sb.peer.react = ({ path }) => ({ status: path === '/events' ? 500 : 204 });
      const webhook_url = `${sb.peer.url}/events`;
      await sb.api.put(`/1/applications/${sb.applicationId}`, { webhook_url });
      await sb.settled(await sb.send('one', 'ada'));
      // While an attempt is in progress, the next one has no time yet.
      const failing = await until('a failing webhook that waits', async () => {
        const found = (await problemsOf(sb.api)).find(({ kind }) => kind === 'webhook_failing');
        return found?.until ? found : undefined;
      });
      assert.deepEqual([failing.severity, failing.application_id], ['error', sb.applicationId]);
      assert.match(failing.detail ?? '', /500/);
      sb.peer.react = ({ path }) => ({ status: path === '/events' ? 410 : 204 });
      const paused = await problem(sb.api, 'webhook_paused');
      assert.deepEqual([paused.severity, paused.integration_id], ['error', null]);
      assert.match(paused.help, /resume/);
    });
  });

  it(`the health of an integration shows that it is disabled or incomplete (${engine})`, async () => {
    await using sb = await openWebhookDelivery(engine, { credentials: {} });
    const lacking = await healthOf(sb);
    assert.deepEqual([lacking.state, lacking.missing], ['incomplete', ['address']]);
    assert.deepEqual([lacking.last_success_at, lacking.paused], [null, null]);
    await sb.app.delete(`/1/integrations/${sb.integrationId}/disable`);
    assert.equal((await healthOf(sb)).state, 'disabled');
  });
}
