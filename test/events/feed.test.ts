import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Retention } from '../../src/store/upkeep/retention.ts';
import type { Client } from '../support/service/client.ts';
import { openWebhookDelivery } from '../support/service/delivery.ts';
import { eventsOf, feedOf } from '../support/service/feed.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

for (const engine of ENGINES) {
  describe(`the event feed (${engine})`, () => {
    it("the event feed has each message's state changes in order without a gap", async () => {
      await using sb = await openWebhookDelivery(engine);
      const ids = await sb.sendAll(
        Array.from({ length: 50 }, (_unused, i) => ({ text: `text ${i}`, to: `r${i % 5}` })),
      );
      const sent = await eventsOf(sb.app, 'message.sent', 50);
      assert.deepEqual(
        sent.map(({ id }) => id),
        sent.map((_unused, i) => i + 1),
      );
      assert.deepEqual(sent.map(({ data }) => data.id).toSorted(byNumber), ids);
      for (let to = 0; to < 5; to++) {
        const own = sent.filter(({ data }) => data.to === `r${to}`).map(({ data }) => data.id);
        assert.deepEqual(own, own.toSorted(byNumber), 'events of a lane are in order');
      }
      const [first] = sent;
      assert.match(first?.timestamp ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(
        { ...first?.data, id: 0 },
        {
          id: 0,
          application_id: sb.applicationId,
          integration_id: sb.integrationId,
          state: 'sent',
          to: first?.data.to,
          object_id: first?.data.object_id,
          channel_ids: [],
          error: null,
        },
      );
    });

    it('the event feed has failed, canceled, expired and possibly sent messages', async () => {
      await using sb = await openWebhookDelivery(engine);
      sb.peer.next({ status: 422, body: 'no such customer' });
      const failed = await sb.send('a', 'ada');
      const [event] = await eventsOf(sb.app, 'message.failed');
      assert.equal(event?.data.id, failed);
      assert.equal(event?.data.error.code, 'content');
      assert.match(event?.data.error.detail, /no such customer/);

      await sb.change({ state: 'disable' });
      await sb.change({ state: 'enable' });
      sb.peer.react = () => ({ status: 429, headers: { 'retry-after': '3600' } });
      const waiting = await sb.send('b', 'bob');
      await sb.waiting(waiting, 'rate_limit');
      assert.equal((await sb.app.delete(`/1/messages/${waiting}`)).status, 204);
      assert.equal((await eventsOf(sb.app, 'message.canceled'))[0]?.data.id, waiting);

      const late = await sb.send('c', 'cy', { endTime: '2020-01-01T00:00:00Z' });
      assert.equal((await eventsOf(sb.app, 'message.expired'))[0]?.data.id, late);
    });

    it('reports refused and accepted credentials once each', async () => {
      await using sb = await openWebhookDelivery(engine);
      sb.peer.react = () => ({ status: 401 });
      await sb.sendAll([
        { text: 'a', to: 'ada' },
        { text: 'b', to: 'bob' },
      ]);
      const [failing] = await eventsOf(sb.app, 'integration.failing');
      assert.equal(failing?.data.integration_id, sb.integrationId);
      assert.equal(failing?.data.channel, 'webhook');
      assert.match(failing?.data.detail, /401/);
      sb.peer.react = () => ({ status: 204 });
      await sb.change({ state: 'enable' });
      await sb.settled(await sb.send('c', 'cy'));
      await eventsOf(sb.app, 'integration.recovered');
      await sb.settled(await sb.send('d', 'cy'));
      const types = (await feedOf(sb.app)).map(({ type }) => type);
      assert.equal(types.filter((type) => type === 'integration.failing').length, 1);
      assert.equal(types.filter((type) => type === 'integration.recovered').length, 1);
      assert.ok(types.indexOf('integration.recovered') < types.indexOf('message.sent'));
    });

    it('the event feed is read by cursor and waits for new events', async () => {
      await using sb = await openWebhookDelivery(engine);
      const began = performance.now();
      assert.deepEqual((await sb.app.get('/1/events?wait=0.05')).body, { data: [] });
      assert.ok(performance.now() - began >= 45);
      const waiting = sb.app.get('/1/events?after=0&wait=30');
      await sb.send('a', 'ada');
      const { body, headers } = await waiting;
      assert.equal(body.data[0].type, 'message.sent');
      assert.match(headers.get('link') ?? '', /\/1\/events\?after=1&limit=100>; rel="next"$/);
      const { body: rest } = await sb.app.get('/1/events?after=1');
      assert.deepEqual(rest.data, []);
      const one = await sb.app.get('/1/events/1');
      assert.deepEqual(one.body, body.data[0]);
      assert.equal((await sb.app.get('/1/events/2')).status, 404);
      for (const query of ['after=x', 'limit=-1', 'limit=x&after=', 'wait=-3', 'after=1e400']) {
        assert.equal((await sb.app.get(`/1/events?${query}`)).status, 200, query);
      }
    });

    it('the event feed is the same on every node and hidden from other applications', async () => {
      await using one = await startTestService(engine, {
        environment: { SWITCHBOARD_ROLE: 'api' },
      });
      const { application, app } = await one.application();
      const { app: other } = await one.application();
      const append = () =>
        one.store.events.append([
          {
            applicationId: application.id,
            type: 'webhook.test',
            data: '{}',
            media: null,
            createdAt: Date.now(),
          },
        ]);
      await append();
      // The reader polls, since the service is not notified of direct writes to the store.
      const waiting = app.get('/1/events?after=1&wait=30');
      await append();
      assert.equal((await waiting).body.data.length, 1);
      assert.deepEqual((await other.get('/1/events')).body, { data: [] });
    });

    it('the event feed is numbered without a gap despite concurrent writers', async () => {
      await using sb = await startTestService(engine);
      const { application, app } = await sb.application();
      const event = {
        type: 'webhook.test',
        data: '{}',
        media: null,
        createdAt: Date.now(),
      } as const;
      const applicationId = Number(application.id);
      const seen: number[] = [];
      const writers = Array.from({ length: 20 }, async () => {
        for (let i = 0; i < 10; i++) await sb.store.events.append([{ ...event, applicationId }]);
      });
      const done = Promise.all(writers).then(() => true);
      let isDone = false;
      void done.then(() => (isDone = true));
      // A concurrent reader never sees a number before a smaller one.
      while (!isDone || seen.length < 200) {
        const { body } = await app.get(`/1/events?after=${seen.at(-1) ?? 0}&limit=7`);
        seen.push(...body.data.map(({ id }: { id: number }) => id));
      }
      assert.deepEqual(
        seen,
        Array.from({ length: 200 }, (_unused, i) => i + 1),
      );
    });

    it('the event feed is kept for the configured days with any number of applications', async () => {
      // The service keeps all events: if it removed some at the same time, this round could end early, since it would find
      // fewer rows than its limit.
      const environment = { SWITCHBOARD_RETENTION_DAYS: '3650' };
      await using sb = await startTestService(engine, { environment });
      const day = 24 * 60 * 60 * 1000;
      const apps: Client[] = [];
      for (const old of [5, 0, 2500]) {
        const { application, app } = await sb.application();
        const applicationId = Number(application.id);
        const append = (count: number, age: number) => {
          const createdAt = Date.now() - age * day;
          const event = { applicationId, data: '{}', media: null, createdAt };
          const type = 'webhook.test' as const;
          return sb.store.events.append(Array.from({ length: count }, () => ({ ...event, type })));
        };
        await append(old, 31);
        await append(1, 29);
        apps.push(app);
      }
      const retention = new Retention(sb.store.engine, sb.store.events);
      for (let calls = 0; await retention.removeOld(Date.now(), 30 * day, 2); calls++) {
        assert.ok(calls < 1400, 'each call removes events or advances');
      }
      const kept = await Promise.all(apps.map((app) => feedOf(app)));
      assert.deepEqual(
        kept.map((events) => events.map(({ id }) => id)),
        [[6], [1], [2501]],
      );
      const [app] = apps;
      const { headers } = await sb.as(app?.token).get('/1/events?after=2&limit=1');
      assert.match(headers.get('link') ?? '', /after=6/);
    });

    it('the event feed is deleted with its application', async () => {
      await using sb = await startTestService(engine);
      const { application } = await sb.application();
      const applicationId = Number(application.id);
      const event = {
        type: 'webhook.test',
        data: '{}',
        media: null,
        createdAt: Date.now(),
      } as const;
      await sb.store.events.append([{ ...event, applicationId }]);
      await sb.api.delete(`/1/applications/${application.id}`);
      await until(
        'the purge',
        async () => (await sb.store.events.list(applicationId, 0, 9)).length === 0,
      );
      await sb.store.events.append([{ ...event, applicationId }]);
      assert.deepEqual(await sb.store.events.list(applicationId, 0, 9), []);
    });
  });
}

const byNumber = (a: number, b: number) => a - b;
