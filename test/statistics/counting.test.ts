import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { TestClock } from '../support/clock.ts';
import { openChat } from '../support/service/chat.ts';
import type { Client } from '../support/service/client.ts';
import { asTimePasses, openWebhookDelivery } from '../support/service/delivery.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

type Totals = Record<string, number> & { latency_ms: Record<string, number | null> };

/** Waits until the totals have the wanted counts. */
const counted = (client: Client, wanted: Record<string, number>, query = '') =>
  until(JSON.stringify(wanted), async () => {
    const { total } = (await client.get(`/1/statistics${query}`)).body as { total: Totals };
    const isWanted = Object.entries(wanted).every(([name, count]) => total[name] === count);
    return isWanted && total;
  });

for (const engine of ENGINES) {
  describe(`statistics (${engine})`, () => {
    it('statistics count accepted, sent and failed messages, and their latency', async () => {
      await using sb = await openWebhookDelivery(engine);
      for (const text of ['one', 'two', 'three']) await sb.settled(await sb.send(text, 'ada'));
      sb.peer.next({ status: 400 });
      await sb.settled(await sb.send('refused', 'ada'));
      await sb.app.delete(`/1/integrations/${sb.integrationId}/disable`);
      await sb.change({ state: 'disable' });
      await sb.change({ state: 'enable' });
      const total = await counted(sb.app, { accepted: 4, sent: 3, failed: 1 });
      assert.deepEqual([total['canceled'], total['expired'], total['received']], [0, 0, 0]);
      const { p50, p90, p95, p99 } = total.latency_ms;
      const percentiles = [p50, p90, p95, p99].map((value) => value ?? NaN);
      assert.ok(percentiles.every((value, i) => value >= (percentiles[i - 1] ?? 0)));
    });

    it('statistics count canceled and expired messages, also those canceled with their integration', async () => {
      await using sb = await startTestService(engine);
      const { application, app } = await sb.application();
      const { body: integration } = await app.post('/1/integrations', {
        application_id: application.id,
        name: 'webhook',
        state: 'enable',
        address: 'https://example.com/',
      });
      const send = async (change: object = {}) => {
        const object = { type: 'Note', content: 'Hello' };
        const activity = { '@context': 'https://www.w3.org/ns/activitystreams', type: 'Create' };
        const to = { type: 'Person', id: 'ada' };
        const generator = { type: 'Service' };
        const { body } = await app.post('/1/message', {
          message: { ...activity, to, object, generator, ...change },
        });
        return Number(body.id);
      };
      await app.delete(`/1/messages/${await send()}`);
      await send({ endTime: '2020-01-01T00:00:00Z' });
      await counted(app, { accepted: 2, canceled: 1, expired: 1 });
      await send();
      await app.delete(`/1/integrations/${integration.id}`);
      await counted(app, { accepted: 3, canceled: 2, expired: 1 });
    });

    it('statistics count delivery reports and received messages', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      const id = await chat.send(guest.id, 'Good morning!');
      const entry = await guest.sees('Good morning!');
      guest.do({ do: 'delivered', number: entry.number });
      await chat.reaches(id, 'delivered');
      guest.do({ do: 'read', number: entry.number });
      await chat.reaches(id, 'read');
      await guest.say('Good morning.');
      // The visitor's arrival also counts as received.
      await counted(chat.app, { accepted: 1, sent: 1, delivered: 1, read: 1, received: 2 });
      guest.leave();
    });

    it('statistics survive a stop of the service and a short outage of the store', async () => {
      const first = await openWebhookDelivery(engine);
      const { database } = first.service;
      // Counts that cannot be added now are added later.
      const { statistics } = first.service.store;
      const add = statistics.add.bind(statistics);
      let refused = 0;
      statistics.add = (rows) => {
        if (refused++ < 2)
          return Promise.resolve({ left: [...rows], fault: new Error('store unavailable') });
        return add(rows);
      };
      await first.settled(await first.send('one', 'ada'));
      await counted(first.app, { accepted: 1, sent: 1 });
      assert.ok(refused > 2);
      await first.settled(await first.send('two', 'ada'));
      const { token } = first.app;
      await first.service.service.stop();
      await using second = await startTestService(engine, { database });
      await counted(second.as(token), { accepted: 2, sent: 2 });
      await first.peer.close();
    });

    it('statistics do not count deliveries of events', async () => {
      await using sb = await openWebhookDelivery(engine);
      const webhook_url = `${sb.peer.url}/events`;
      await sb.api.put(`/1/applications/${sb.applicationId}`, { webhook_url });
      await sb.settled(await sb.send('one', 'ada'));
      await until('the event is delivered', () =>
        sb.peer.seen.some(({ path }) => path === '/events'),
      );
      const total = await counted(sb.app, { accepted: 1, sent: 1 });
      assert.equal(total['failed'], 0);
    });
  });
}

for (const engine of ENGINES) {
  it(`statistics are kept by the minute for three days, and by the hour for the configured time (${engine})`, async () => {
    const clock = new TestClock();
    const DAY_MS = 24 * 3_600_000;
    await using sb = await openWebhookDelivery(engine, {
      clock,
      environment: { SWITCHBOARD_STATISTICS_DAYS: '10' },
    });
    await sb.settled(await sb.send('one', 'ada'));
    const rows = async () => {
      const found = await sb.service.store.engine.db
        .selectFrom('statistics')
        .select(['step', 'sent'])
        .execute();
      return found.map(({ step, sent }) => `${step} ${sent}`).toSorted();
    };
    await asTimePasses(
      clock,
      1_000,
      'both rows',
      async () => (await rows()).join() === 'hour 1,minute 1',
    );
    clock.advance(4 * DAY_MS);
    await until('the minute is gone', async () => (await rows()).join() === 'hour 1');
    clock.advance(7 * DAY_MS);
    await until('the hour is gone', async () => (await rows()).length === 0);
  });
}
