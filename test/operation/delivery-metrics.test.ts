import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { webhook } from '../../src/channels/webhook/channel.ts';
import { createGate } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import {
  type DeliveryService,
  asTimePasses,
  openWebhookDelivery,
  whenSent,
} from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const SECOND_MS = 1000;

/** The value of a metric; undefined if it is absent. */
async function metric({ service }: DeliveryService, name: string): Promise<number | undefined> {
  const { text } = await service.as(undefined).get('/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

for (const engine of ENGINES) {
  describe(`delivery metrics (${engine})`, () => {
    async function start() {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      return { clock, sb };
    }

    it('delivery metrics count attempts by channel and outcome', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      sb.peer.next({ status: 503 });
      sb.peer.next({ status: 429, headers: { 'retry-after': '1' } });
      const id = await sb.send('one', 'ada');
      await whenSent(sb, clock, id);
      await sb.settled(await sb.send('two', 'ada'));
      sb.peer.next({ status: 400 });
      await sb.settled(await sb.send('three', 'ada'));
      const tries = (outcome: string) =>
        metric(sb, `switchboard_delivery_attempts_total{channel="webhook",outcome="${outcome}"}`);
      assert.equal(await tries('sent'), 2);
      assert.equal(await tries('transient'), 1);
      assert.equal(await tries('limited'), 1);
      assert.equal(await tries('permanent'), 1);
      assert.equal(await tries('uncertain'), undefined);
    });

    it('measure the time from accepting a message until it is settled, including retries', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      const { promise, resolve } = Promise.withResolvers<{ status: number }>();
      sb.peer.react = () => promise;
      const id = await sb.send('slow', 'ada');
      await until('the request', () => sb.peer.seen.length === 1);
      clock.advance(7 * SECOND_MS);
      resolve({ status: 204 });
      await sb.settled(id);
      sb.peer.react = () => ({ status: 400 });
      await sb.settled(await sb.send('bad', 'ada'));
      const duration = (state: string, what: string) =>
        metric(
          sb,
          `switchboard_delivery_duration_seconds_${what}{channel="webhook",state="${state}"}`,
        );
      await until('both', async () => {
        return (await duration('sent', 'count')) === 1 && (await duration('failed', 'count')) === 1;
      });
      assert.equal(await duration('sent', 'sum'), 7);
      assert.equal(await duration('failed', 'sum'), 0);
    });

    it('delivery metrics count queued messages by channel', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      const depth = () => metric(sb, 'switchboard_queue_depth{channel="webhook"}');
      sb.peer.next({ status: 429, headers: { 'retry-after': '60' } });
      const first = await sb.send('first', 'ada');
      await sb.waiting(first, 'rate_limit');
      const others = await sb.sendAll(
        Array.from({ length: 6 }, (_unused, i) => ({ text: String(i), to: `r${i % 3}` })),
      );
      const ids = [first, ...others];
      assert.equal(await depth(), undefined, 'not counted yet');
      clock.advance(15 * SECOND_MS);
      await until('seven', async () => (await depth()) === 7);
      for (const id of ids) await whenSent(sb, clock, id);
      await until('none', async () => {
        clock.advance(15 * SECOND_MS);
        return (await depth()) === undefined;
      });
    });

    it('delivery metrics show how long the oldest due message has been due, ignoring disabled integrations', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      const oldest = () => metric(sb, 'switchboard_queue_oldest_due_seconds');
      const answer = createGate();
      sb.peer.react = async () => {
        await answer.opened;
        return { status: 204 };
      };
      const atOnce = Number(webhook.concurrency);
      const ids = await sb.sendAll(
        Array.from({ length: atOnce + 10 }, (_unused, i) => ({ text: String(i), to: `r${i}` })),
      );
      await until('the first', () => sb.peer.inFlight === atOnce);
      const since = clock.now();
      const age = await asTimePasses(clock, SECOND_MS, 'some seconds', async () => {
        const seconds = (await oldest()) ?? 0;
        return seconds >= 3 && seconds;
      });
      assert.ok(age <= (clock.now() - since) / SECOND_MS);
      await sb.app.delete(`/1/integrations/${sb.integrationId}/disable`);
      await until('no due message', async () => {
        clock.advance(SECOND_MS);
        return (await oldest()) === 0;
      });
      answer.open();
      await sb.change({ state: 'enable' });
      // On a busy machine some attempts have timed out by now and are retried.
      for (const id of ids) await whenSent(sb, clock, id);
    });
  });
}
