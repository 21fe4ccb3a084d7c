import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type IrcPeer, openIrc } from '../emulators/irc.ts';
import { TestClock } from '../support/clock.ts';
import { parsePrometheus } from '../support/prometheus.ts';
import { integrate } from '../support/service/activity.ts';
import { asTimePasses, openWebhookDelivery } from '../support/service/delivery.ts';
import { eventsOf, feedOf } from '../support/service/feed.ts';
import { ENGINES } from '../support/store/databases.ts';

/* The health of live sessions that receive messages, here IRC connections. */

const STEP_MS = 250;
/** Nobody listens there. */
const CLOSED = '127.0.0.1:1';
const GAUGE = 'switchboard_integrations_not_receiving{channel="irc"}';

for (const engine of ENGINES) {
  describe(`health of receiving (${engine})`, () => {
    async function open(address: string) {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      const fields = { name: 'irc', address, username: 'switch', state: 'enable' };
      const { id } = await integrate(sb.app, sb.applicationId, { ...fields, token: undefined });
      const path = `/1/integrations/${id}`;
      const health = async () => (await sb.app.get(path)).body.health;
      const gauge = async () =>
        parsePrometheus((await sb.service.as(undefined).get('/metrics')).text).samples.get(GAUGE);
      return {
        sb,
        id,
        health,
        /** Waits until receiving is in that state. */
        receivingIs: (state: string) =>
          asTimePasses(clock, STEP_MS, `receiving is ${state}`, async () => {
            const found = await health();
            return found.receiving.state === state && found;
          }),
        gaugeIs: (value: number | undefined) =>
          asTimePasses(clock, STEP_MS, `gauge ${value}`, async () => (await gauge()) === value),
        passUntil: (what: string, find: () => boolean) => asTimePasses(clock, STEP_MS, what, find),
        async change(more: object) {
          assert.equal((await sb.app.put(path, { ...fields, ...more })).status, 204);
        },
      };
    }

    const connect = (peer: IrcPeer) => peer.url;

    it('receiving is failing after two failed sessions and works again after one that lasts', async () => {
      const { sb, id, health, receivingIs, gaugeIs, change } = await open(CLOSED);
      await using _ = sb;
      await using peer = await openIrc();
      const failing = await receivingIs('failing');
      assert.equal(failing.state, 'failing');
      assert.equal(failing.since, null, 'sending does not fail');
      assert.ok(failing.receiving.since && failing.receiving.last_error);
      const [event] = await eventsOf(sb.app, 'integration.failing');
      assert.partialDeepStrictEqual(event?.data, {
        integration_id: id,
        channel: 'irc',
        scope: 'receiving',
        reason: 'transient',
        since: failing.receiving.since,
      });
      const { body: overview } = await sb.app.get('/1/overview');
      assert.partialDeepStrictEqual(overview.problems, [
        { kind: 'receiving_failing', integration_id: id, since: failing.receiving.since },
      ]);
      await gaugeIs(1);

      await change({ address: connect(peer) });
      const well = await receivingIs('working');
      assert.equal(well.state, 'unknown');
      assert.equal(well.receiving.since, null);
      assert.ok(well.receiving.last_error, 'the last error is kept');
      const [recovered] = await eventsOf(sb.app, 'integration.recovered');
      assert.partialDeepStrictEqual(recovered?.data, { integration_id: id, scope: 'receiving' });
      await gaugeIs(undefined);
      const { body: detail } = await sb.app.get(`/1/integrations/${id}/health`);
      assert.deepEqual(detail.receiving, (await health()).receiving);
      assert.equal((await feedOf(sb.app)).length, 2);
    });

    it('receiving is failing after one session that the channel refuses', async () => {
      await using peer = await openIrc();
      peer.next({ to: 'USER', says: [':irc.example 464 switch :Password incorrect'] });
      const { sb, receivingIs } = await open(connect(peer));
      await using _ = sb;
      await receivingIs('failing');
      const [event] = await eventsOf(sb.app, 'integration.failing');
      assert.equal(event?.data.reason, 'credentials');
      assert.equal(peer.sockets.length, 1);
    });

    it('receiving stays failing when the server drops every session, and reports it once', async () => {
      await using peer = await openIrc();
      const sessions = 4;
      for (let i = 0; i < sessions; i++) {
        peer.next({ to: 'USER', says: [':irc.example 001 switch :Welcome'] });
        peer.next({ to: 'JOIN', does: 'reset' });
      }
      const { sb, change, receivingIs, passUntil } = await open(CLOSED);
      await using _ = sb;
      await change({ address: connect(peer), consumer_key: '#den' });
      await passUntil('all sessions', () => peer.sockets.length > sessions);
      const types = (await feedOf(sb.app)).map(({ type }) => type);
      assert.deepEqual(types, ['integration.failing']);
      await receivingIs('working');
    });

    it('an email integration without a mailbox to read cannot fail to receive', async () => {
      await using sb = await openWebhookDelivery(engine);
      const { id } = await integrate(sb.app, sb.applicationId, {
        name: 'email',
        address: 'smtp://127.0.0.1:1',
        username: 'shop@example.com',
      });
      const { body } = await sb.app.get(`/1/integrations/${id}`);
      assert.equal(body.health.receiving.state, 'unknown');
      const webhook = await sb.app.get(`/1/integrations/${sb.integrationId}`);
      assert.equal(webhook.body.health.receiving, null);
    });
  });
}
