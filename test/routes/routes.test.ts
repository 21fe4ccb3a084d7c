import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Reply } from '../support/service/client.ts';
import { feedOf } from '../support/service/feed.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';
import {
  ADA,
  ADA_SMS,
  BLOCKED,
  BLOCKED_SMS,
  LOST_ANSWER,
  MINUTE_MS,
  NO_RECEIPT,
  ROUTES,
  type Routed,
  STEP_MS,
  activity,
  openRouted,
} from './routed-sandbox.ts';

/* Messages with several routes, from WhatsApp to SMS, both in the sandbox. */

for (const engine of ENGINES) {
  describe(`routes (${engine})`, () => {
    const check = (what: string, test: (routed: Routed) => Promise<void>): void =>
      void it(what, async () => {
        await using routed = await openRouted(engine);
        await test(routed);
      });

    check('a message that is not read in time goes the next route', async (routed) => {
      const { sendRouted, reach, show, integrationId, sms, events, phoneOf } = routed;
      const id = await sendRouted();
      const sent = await reach(id, 'the first route', ({ state }) => state === 'delivered');
      assert.equal(sent.integration_id, integrationId);
      assert.deepEqual([sent.route, sent.waiting.reason], [0, 'receipt']);
      assert.equal(sent.waiting.until, sent.routes[0].deadline);
      assert.deepEqual(
        sent.routes.map(({ state }: { state: string }) => state),
        ['delivered', 'pending'],
      );
      await reach(id, 'the second route', ({ route }) => route === 1);
      await reach(id, 'the SMS', ({ routes }) => routes[1].parts_sent === 1);
      const shown = await show(id);
      assert.equal(shown.routes[0].because.code, 'deadline');
      assert.equal(shown.routes[0].state, 'delivered');
      assert.equal((await phoneOf(sms)).length, 1);
      assert.equal((await phoneOf(integrationId)).length, 1);
      const types = await events(id);
      assert.ok(types.includes('message.rerouted'), types.join());
      assert.ok(types.indexOf('message.rerouted') > types.indexOf('message.sent'));
      const { body } = await routed.app.get(`/1/messages/${id}/attempts`);
      assert.deepEqual(
        body.data.map(({ route }: { route: number }) => route),
        [0, 1],
      );
    });

    check('a message that is read in time goes no other route', async (routed) => {
      const { sendRouted, reach, show, integrationId, sms, clock, receipt, phoneOf } = routed;
      const id = await sendRouted();
      await reach(id, 'the first route', ({ state }) => state === 'delivered');
      await receipt(integrationId, 'read');
      const read = await reach(id, 'read', ({ state }) => state === 'read');
      assert.equal(read.waiting, null);
      clock.advance(5 * MINUTE_MS);
      await reach(id, 'the end', ({ routes }) => routes[1].state === 'unused');
      assert.equal((await show(id)).state, 'read');
      assert.deepEqual(await phoneOf(sms), []);
    });

    check('a report that arrives before the next route starts prevents it', async (routed) => {
      const { sendRouted, reach, integrationId, sms, clock, receipt, phoneOf } = routed;
      const { store } = routed.service;
      const id = await sendRouted();
      await reach(id, 'the first route', ({ state }) => state === 'delivered');
      // The deadline passes, and the report is recorded but not applied yet.
      const { apply } = store.receipts;
      store.receipts.apply = async () => ({ seen: 0, moved: [] });
      const run = store.routes.run.bind(store.routes);
      store.routes.run = async () => [];
      clock.advance(3 * MINUTE_MS);
      await receipt(integrationId, 'read');
      await until('the report', async () => {
        const rows = await store.engine.db.selectFrom('parts').select('state').execute();
        return rows.some(({ state }) => state === 'read');
      });
      store.routes.run = run;
      clock.advance(2_000);
      await reach(id, 'the end', ({ routes }) => routes[1].state === 'unused');
      store.receipts.apply = apply.bind(store.receipts);
      await reach(id, 'read', ({ state }) => state === 'read');
      assert.deepEqual(await phoneOf(sms), []);
    });

    check('a route that fails is followed by the next at once', async (routed) => {
      const { post, reach, sms, clock, phoneOf } = routed;
      const routes = [
        { via: 'whatsapp', until: 'read', after: 'PT2M' },
        { via: 'twilio', to: ADA_SMS },
      ];
      const before = clock.now();
      const { body } = await post({ routes }, BLOCKED);
      const shown = await reach(
        body.id,
        'the SMS',
        ({ routes: [, next] }) => next.parts_sent === 1,
      );
      assert.ok(clock.now() - before < MINUTE_MS);
      assert.equal(shown.routes[0].state, 'failed');
      assert.equal(shown.routes[0].because.code, 'recipient');
      assert.equal(shown.to, ADA_SMS);
      assert.equal(shown.send_at, undefined);
      assert.equal((await phoneOf(sms)).length, 1);
    });

    check('a late report on an earlier route is not lost', async (routed) => {
      const { sendRouted, reach, integrationId, sms, receipt, events, phoneOf } = routed;
      const id = await sendRouted();
      await reach(id, 'the SMS', ({ routes }) => routes[1].parts_sent === 1);
      await receipt(integrationId, 'read');
      const read = await reach(id, 'read', ({ state }) => state === 'read');
      assert.deepEqual([read.route, read.integration_id], [0, integrationId]);
      assert.equal(read.routes[1].parts_sent, 1);
      assert.equal((await phoneOf(sms)).length, 1);
      const feed = await feedOf(routed.app);
      const last = feed.findLast(({ data, type }) => data['id'] === id && type === 'message.read');
      assert.equal(last?.data['duplicate'], true);
      assert.equal((await events(id)).filter((type) => type === 'message.read').length, 1);
    });

    check('a message whose routes all fail has failed', async (routed) => {
      const { post, reach, events } = routed;
      const routes = [
        { via: 'whatsapp', after: 'PT1M' },
        { via: 'twilio', to: BLOCKED_SMS },
      ];
      const { body } = await post({ routes }, BLOCKED);
      const failed = await reach(body.id, 'the end', ({ state }) => state === 'failed');
      assert.equal(failed.error.code, 'routes_exhausted');
      assert.deepEqual(
        failed.routes.map(({ state }: { state: string }) => state),
        ['failed', 'failed'],
      );
      assert.deepEqual(await events(body.id), ['message.rerouted', 'message.failed']);
    });

    check('the state is that of the route that got furthest', async (routed) => {
      const { post, reach, integrationId } = routed;
      const routes = [
        { via: 'whatsapp', until: 'read', after: 'PT1M' },
        { via: 'twilio', to: BLOCKED_SMS },
      ];
      const { body } = await post({ routes });
      const done = await reach(body.id, 'the end', ({ error }) => error !== null);
      assert.deepEqual([done.state, done.route], ['delivered', 0]);
      assert.equal(done.integration_id, integrationId);
      assert.equal(done.error.code, 'routes_exhausted');
    });

    check('canceling drops the remaining routes', async (routed) => {
      const { app, sendRouted, reach, show, sms, clock, phoneOf, service } = routed;
      const id = await sendRouted(NO_RECEIPT);
      await reach(id, 'the first route', ({ state }) => state === 'sent');
      assert.equal((await app.delete(`/1/messages/${id}`)).status, 204);
      const shown = await show(id);
      assert.deepEqual([shown.state, shown.routes[1].state], ['sent', 'canceled']);
      const again = await app.delete(`/1/messages/${id}`);
      assert.equal(again.body.code, 'message_settled');
      clock.advance(5 * MINUTE_MS);
      await service.store.routes.run(clock.now(), 100);
      await service.store.schedule.release(clock.now(), 100);
      assert.deepEqual(await phoneOf(sms), []);
    });

    check('a canceled message that a route had sent keeps its state', async (routed) => {
      const { app, sendRouted, reach, show, integrationId, sms, phoneOf } = routed;
      const id = await sendRouted();
      const { body: integration } = await app.get(`/1/integrations/${sms}`);
      await app.put(`/1/integrations/${sms}`, { ...integration, state: 'disable' });
      const waiting = await reach(id, 'the second route', ({ route }) => route === 1);
      assert.equal(waiting.state, 'queued');
      assert.equal((await app.delete(`/1/messages/${id}`)).status, 204);
      const shown = await show(id);
      assert.deepEqual([shown.state, shown.route], ['delivered', 0]);
      assert.equal(shown.integration_id, integrationId);
      assert.equal(shown.routes[1].state, 'canceled');
      assert.deepEqual(await phoneOf(sms), []);
    });

    check('an uncertain outcome stops the chain if it is held', async (routed) => {
      const { service, app, post, reach, clock, sms, phoneOf, applicationId } = routed;
      const held = await service.api.put(`/1/applications/${applicationId}/delivery`, {
        uncertain: 'hold',
      });
      assert.ok(held.status < 300, JSON.stringify(held.body));
      const routes = [
        { via: 'whatsapp', until: 'read', after: 'PT1M' },
        { via: 'twilio', to: ADA_SMS },
      ];
      const { body } = await post({ routes }, LOST_ANSWER);
      await reach(body.id, 'uncertain', ({ state }) => state === 'uncertain');
      clock.advance(10 * MINUTE_MS);
      await service.store.routes.run(clock.now(), 100);
      assert.deepEqual(await phoneOf(sms), []);
      assert.equal((await app.delete(`/1/messages/${body.id}`)).status, 204);
      await reach(body.id, 'canceled', ({ state }) => state === 'canceled');
    });

    check('invalid routes are refused, each with its place', async (routed) => {
      const { post, sms } = routed;
      const of = async (routes: unknown, change: Record<string, unknown> = {}) => {
        const { status, body } = await post({ routes, ...change });
        return [status, body.code, body.errors?.[0]?.pointer];
      };
      const [first, last] = ROUTES;
      const bySms = { ...first, via: 'twilio', to: ADA_SMS };
      assert.deepEqual(await of([{ via: 'whatsapp', after: 'PT1M' }, bySms, first]), [
        422,
        'condition_unsupported',
        '/routes/1/until',
      ]);
      assert.deepEqual(await of([{ via: 'whatsapp' }, last]), [
        422,
        'invalid_fields',
        '/routes/0/after',
      ]);
      for (const after of ['PT4S', 'P4D', 'soon', 'PT1000000H']) {
        assert.deepEqual(await of([{ via: 'whatsapp', after }, last]), [
          422,
          'invalid_fields',
          '/routes/0/after',
        ]);
      }
      assert.deepEqual(await of([first, { ...last, until: 'sent' }]), [
        422,
        'invalid_fields',
        '/routes/1/until',
      ]);
      assert.deepEqual(await of([first, { via: 'whatsapp' }]), [
        422,
        'invalid_fields',
        '/routes/1',
      ]);
      assert.deepEqual(await of([first, { via: '999999' }]), [
        422,
        'no_integration',
        '/routes/1/via',
      ]);
      assert.deepEqual(await of([first, { ...last, untill: 'read' }]), [
        422,
        'invalid_fields',
        '/routes/1/untill',
      ]);
      assert.deepEqual(await of([]), [422, 'invalid_fields', '/routes']);
      assert.deepEqual(await of(Array.from({ length: 6 }, () => last)), [
        422,
        'invalid_fields',
        '/routes',
      ]);
      assert.deepEqual(await of(ROUTES, { options: { x: 1 } }), [
        422,
        'invalid_fields',
        '/options',
      ]);
      assert.equal(
        (
          await of([
            { via: 'whatsapp', after: 'P3D' },
            { ...last, via: sms },
          ])
        )[0],
        202,
      );
    });

    check('a dry run shows each route', async (routed) => {
      const { app, phoneOf, integrationId, sms } = routed;
      const { status, body } = await app.post('/1/message?dry_run=true', {
        message: activity(BLOCKED),
        routes: ROUTES,
      });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.integration_id, integrationId);
      assert.deepEqual(
        body.routes.map(({ via, integration_id: id }: Reply['body']) => [via, id]),
        [
          ['whatsapp', integrationId],
          ['twilio', sms],
        ],
      );
      assert.ok(body.routes[1].parts.length > 0);
      assert.deepEqual(await phoneOf(sms), []);
    });

    check('a scheduled message with routes starts at its time', async (routed) => {
      const { sendRouted, show, reach, app } = routed;
      const id = await sendRouted(ADA, { send_at: '2026-11-15T01:00:00Z' });
      const shown = await show(id);
      assert.equal(shown.state, 'scheduled');
      assert.equal(shown.routes[0].started_at, null);
      const changed = await app.put(`/1/messages/${id}`, {
        message: { ...activity(ADA), object: { type: 'Note', content: 'changed' } },
      });
      assert.equal(changed.status, 204, JSON.stringify(changed.body));
      assert.equal((await show(id)).routes.length, 2);
      routed.clock.leap(60 * MINUTE_MS - STEP_MS);
      const sent = await reach(id, 'the first route', ({ state }) => state === 'delivered');
      assert.equal(sent.routes[0].started_at.slice(0, 16), '2026-11-15T01:00');
      assert.equal(sent.routes[0].deadline.slice(0, 16), '2026-11-15T01:02');
      assert.equal(sent.message.object.content, 'changed');
      const next = await reach(id, 'the second route', ({ route }) => route === 1);
      assert.equal(next.send_at, '2026-11-15T01:00:00');
    });

    check('a route that the person does not allow is skipped', async (routed) => {
      const { app, post, reach } = routed;
      const consent = {
        family: 'sandbox.whatsapp',
        address: `+${ADA}`,
        scope: 'all',
        state: 'revoked',
      };
      const stored = await app.post('/1/consents', { ...consent, source: 'import' });
      assert.ok(stored.status < 300, JSON.stringify(stored.body));
      const { status, body } = await post({ routes: ROUTES });
      assert.equal(status, 202, JSON.stringify(body));
      const shown = await reach(body.id, 'the SMS', ({ routes }) => routes[1].parts_sent === 1);
      assert.equal(shown.routes[0].state, 'skipped');
      assert.equal(shown.routes[0].because.code, 'suppressed');
    });

    check('a report that arrives between two routes prevents the next', async (routed) => {
      const { sendRouted, reach, receipt, phoneOf, store, clock, integrationId, sms } = routed;
      // This node starts no route for now.
      const { schedule } = store;
      const release = schedule.release.bind(schedule);
      const nothing = { released: [], deferred: [], refused: [], ended: [], isFull: false };
      schedule.release = async () => nothing;
      const id = await sendRouted(NO_RECEIPT);
      await reach(id, 'sent', ({ state }) => state === 'sent');
      // Another node looked at the deadline, and ended before the next route started.
      await store.routes.run(clock.now() + 3 * MINUTE_MS, 100);
      await receipt(integrationId, 'read');
      schedule.release = release;
      const read = await reach(id, 'the report', ({ state }) => state !== 'scheduled');
      assert.equal(read.state, 'read');
      assert.deepEqual(await phoneOf(sms), []);
    });

    check('a failed message with routes can be resent', async (routed) => {
      const { app, post, reach } = routed;
      const routes = [
        { via: 'whatsapp', after: 'PT1M' },
        { via: 'twilio', to: BLOCKED_SMS },
      ];
      const { body } = await post({ routes }, BLOCKED);
      await reach(body.id, 'the end', ({ state }) => state === 'failed');
      const resent = await app.post(`/1/messages/${body.id}/resend`, {});
      assert.equal(resent.status, 202);
      const failed = await reach(body.id, 'the end', ({ state }) => state === 'failed');
      assert.equal(failed.route, 1);
      assert.equal(failed.error.code, 'routes_exhausted');
    });
  });
}
