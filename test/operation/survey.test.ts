import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openEndpoint } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { ENGINES } from '../support/databases.ts';
import {
  type DeliveryService,
  asTimePasses,
  openWebhookDelivery,
  whenSent,
} from '../support/delivery.ts';
import { parsePrometheus } from '../support/prometheus.ts';
import { startTestService } from '../support/service.ts';

/** Shorter than a lease. */
const STEP = 5_000;
/** So slowly that no try is out of time before its answer is there, however busy the machine is. */
const GENTLY = 20;

async function samples({ service }: DeliveryService): Promise<ReadonlyMap<string, number>> {
  return parsePrometheus((await service.as(undefined).get('/metrics')).text).samples;
}

for (const engine of ENGINES) {
  describe(`what nodes tell of the store (${engine})`, () => {
    async function start() {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      return {
        clock,
        sb,
        /** Waits until a sample has that value. */
        told: (name: string, value: number | undefined) =>
          asTimePasses(clock, STEP, `${name} ${value}`, async () => {
            return (await samples(sb)).get(name) === value;
          }),
      };
    }

    it('counts the integrations whose credentials are refused, until they are corrected', async () => {
      const { sb, told } = await start();
      await using _ = sb;
      const paused = 'switchboard_integrations_paused{channel="webhook",reason="credentials"}';
      assert.equal((await samples(sb)).get(paused), undefined);
      sb.peer.next({ status: 401 });
      await sb.waiting(await sb.send('one', 'ada'), 'credentials');
      await told(paused, 1);
      await sb.change({ address: `${sb.peer.url}/new` });
      await told(paused, undefined);
    });

    it('counts failing integrations until they recover', async () => {
      const { clock, sb, told } = await start();
      await using _ = sb;
      const failing = 'switchboard_integrations_failing{channel="webhook"}';
      assert.equal((await samples(sb)).get(failing), undefined);
      sb.peer.react = () => ({ status: 500 });
      // Attempts run while the clock stands, or they would time out on a busy machine.
      for (const to of ['ada', 'bob']) await sb.waiting(await sb.send('one', to), 'retry');
      await told(failing, 1);
      sb.peer.react = () => ({ status: 204 });
      await whenSent(sb, clock, await sb.send('one', 'eve'), GENTLY);
      await told(failing, undefined);
    });

    it('counts a rate limit for as long as it lasts', async () => {
      const { sb, told } = await start();
      await using _ = sb;
      const paused = 'switchboard_integrations_paused{channel="webhook",reason="rate_limit"}';
      sb.peer.next({ status: 429, headers: { 'retry-after': '60' } });
      await sb.waiting(await sb.send('one', 'ada'), 'rate_limit');
      await told(paused, 1);
      await told(paused, undefined);
    });

    it('counts the events that a webhook has not been given yet', async () => {
      const { clock, sb, told } = await start();
      await using _ = sb;
      const endpoint = await openEndpoint(() => ({ status: 410 }));
      await using stack = new AsyncDisposableStack();
      stack.defer(() => endpoint.close());
      await sb.api.put(`/1/applications/${sb.applicationId}`, {
        name: 'an application',
        webhook_url: endpoint.url,
      });
      const happen = async (count: number, last: number) => {
        await sb.sendAll(
          Array.from({ length: count }, (_unused, i) => ({ text: 'x', to: `r${i}` })),
        );
        await asTimePasses(clock, GENTLY, `event ${last}`, async () => {
          return (await sb.service.store.events.last(sb.applicationId)) === last;
        });
      };
      // Each is sent, and after the first the webhook is paused.
      await happen(1, 2);
      await told('switchboard_integrations_paused{channel="events",reason="gone"}', 1);
      const cursor = async () =>
        (await sb.service.store.endpoints.get(sb.applicationId))?.cursor ?? 0;
      // Once a hundred were brought forward and not taken, no more are.
      await happen(150, 152);
      await asTimePasses(clock, GENTLY, 'a hundred', async () => (await cursor()) > 100);
      await happen(50, 202);
      await told('switchboard_webhook_events_behind', 202 - (await cursor()));
    });
  });
}

it('says who is there, and which integrations nobody sends for', async () => {
  const clock = new TestClock();
  // It owns nothing, and so does nobody else.
  await using sb = await startTestService('sqlite', { clock });
  const { application, app } = await sb.application();
  const { body } = await app.post('/1/integrations', {
    application_id: application.id,
    name: 'webmessenger',
    state: 'enable',
  });
  assert.ok(body.id);
  const all = await asTimePasses(clock, STEP, 'one that nobody owns', async () => {
    const { samples: found } = parsePrometheus((await sb.as(undefined).get('/metrics')).text);
    // The lease of the node lapses when the clock runs ahead of it.
    const isThere = found.get('switchboard_nodes{role="api"}') === 1;
    return isThere && found.get('switchboard_integrations_unowned') === 1 && found;
  });
  const nodes = ['all', 'api', 'deliver', 'leaving'].map((role) =>
    all.get(`switchboard_nodes{role="${role}"}`),
  );
  assert.deepEqual(nodes, [0, 1, 0, 0]);
  assert.equal(all.get('switchboard_integrations_owned'), 0);
});
