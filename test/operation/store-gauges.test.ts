import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openEndpoint } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { parsePrometheus } from '../support/prometheus.ts';
import {
  type DeliveryService,
  asTimePasses,
  openWebhookDelivery,
  whenSent,
} from '../support/service/delivery.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';

/** Shorter than a lease. */
const STEP_MS = 5_000;
/** So small that no attempt times out before its response, even on a busy machine. */
const SMALL_STEP_MS = 20;

async function samples({ service }: DeliveryService): Promise<ReadonlyMap<string, number>> {
  return parsePrometheus((await service.as(undefined).get('/metrics')).text).samples;
}

for (const engine of ENGINES) {
  describe(`store gauges (${engine})`, () => {
    async function start() {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      return {
        clock,
        sb,
        /** Waits until a sample has that value. */
        gaugeIs: (name: string, value: number | undefined) =>
          asTimePasses(clock, STEP_MS, `${name} ${value}`, async () => {
            return (await samples(sb)).get(name) === value;
          }),
      };
    }

    it('store gauges count integrations with refused credentials until they are corrected', async () => {
      const { sb, gaugeIs } = await start();
      await using _ = sb;
      const paused = 'switchboard_integrations_paused{channel="webhook",reason="credentials"}';
      assert.equal((await samples(sb)).get(paused), undefined);
      sb.peer.next({ status: 401 });
      await sb.waiting(await sb.send('one', 'ada'), 'credentials');
      await gaugeIs(paused, 1);
      await sb.change({ address: `${sb.peer.url}/new` });
      await gaugeIs(paused, undefined);
    });

    it('store gauges count failing integrations until they recover', async () => {
      const { clock, sb, gaugeIs } = await start();
      await using _ = sb;
      const failing = 'switchboard_integrations_failing{channel="webhook"}';
      assert.equal((await samples(sb)).get(failing), undefined);
      sb.peer.react = () => ({ status: 500 });
      // The clock stands still during attempts, because they would time out on a busy machine.
      for (const to of ['ada', 'bob']) await sb.waiting(await sb.send('one', to), 'retry');
      await gaugeIs(failing, 1);
      sb.peer.react = () => ({ status: 204 });
      await whenSent(sb, clock, await sb.send('one', 'eve'), SMALL_STEP_MS);
      await gaugeIs(failing, undefined);
    });

    it('store gauges count rate-limited integrations until the limit ends', async () => {
      const { sb, gaugeIs } = await start();
      await using _ = sb;
      const paused = 'switchboard_integrations_paused{channel="webhook",reason="rate_limit"}';
      sb.peer.next({ status: 429, headers: { 'retry-after': '60' } });
      await sb.waiting(await sb.send('one', 'ada'), 'rate_limit');
      await gaugeIs(paused, 1);
      await gaugeIs(paused, undefined);
    });

    it('store gauges count events not yet delivered to a webhook', async () => {
      const { clock, sb, gaugeIs } = await start();
      await using _ = sb;
      const endpoint = await openEndpoint(() => ({ status: 410 }));
      await using stack = new AsyncDisposableStack();
      stack.defer(() => endpoint.close());
      await sb.api.put(`/1/applications/${sb.applicationId}`, {
        name: 'an application',
        webhook_url: endpoint.url,
      });
      const emit = async (count: number, last: number) => {
        await sb.sendAll(
          Array.from({ length: count }, (_unused, i) => ({ text: 'x', to: `r${i}` })),
        );
        await asTimePasses(clock, SMALL_STEP_MS, `event ${last}`, async () => {
          return (await sb.service.store.events.last(sb.applicationId)) === last;
        });
      };
      // Every message is sent; the first event pauses the webhook.
      await emit(1, 2);
      await gaugeIs('switchboard_integrations_paused{channel="events",reason="gone"}', 1);
      const cursor = async () =>
        (await sb.service.store.endpoints.get(sb.applicationId))?.cursor ?? 0;
      // Forwarding stops when a hundred events are queued for the webhook.
      await emit(150, 152);
      await asTimePasses(clock, SMALL_STEP_MS, 'a hundred', async () => (await cursor()) >= 100);
      await emit(50, 202);
      // Forwarding may go on meanwhile.
      const behind = 'switchboard_webhook_events_behind';
      await asTimePasses(clock, STEP_MS, behind, async () => {
        const [sampled, forwarded] = [(await samples(sb)).get(behind), await cursor()];
        return forwarded < 202 && sampled === 202 - forwarded;
      });
    });
  });
}

it('gauges show the nodes by role and the unowned integrations', async () => {
  const clock = new TestClock();
  // An API node owns nothing, and there is no other node.
  await using sb = await startTestService('sqlite', { clock });
  const { application, app } = await sb.application();
  const { body } = await app.post('/1/integrations', {
    application_id: application.id,
    name: 'webmessenger',
    state: 'enable',
  });
  assert.ok(body.id);
  const all = await asTimePasses(clock, STEP_MS, 'one unowned integration', async () => {
    const { samples: found } = parsePrometheus((await sb.as(undefined).get('/metrics')).text);
    // The node's lease can expire while the clock runs ahead.
    const isThere = found.get('switchboard_nodes{role="api"}') === 1;
    return isThere && found.get('switchboard_integrations_unowned') === 1 && found;
  });
  const nodes = ['all', 'api', 'deliver', 'leaving'].map((role) =>
    all.get(`switchboard_nodes{role="${role}"}`),
  );
  assert.deepEqual(nodes, [0, 1, 0, 0]);
  assert.equal(all.get('switchboard_integrations_owned'), 0);
});
