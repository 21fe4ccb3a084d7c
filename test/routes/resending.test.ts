import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Reply } from '../support/service/client.ts';
import { ENGINES } from '../support/store/databases.ts';
import {
  ADA,
  ADA_SMS,
  BLOCKED,
  BLOCKED_SMS,
  type Routed,
  activity,
  openRouted,
} from './routed-sandbox.ts';

/* Resending messages, and what vendors get of the routes. The tests share a service: each has its own messages. */

const BOTH_BLOCKED = [
  { via: 'whatsapp', after: 'PT1M' },
  { via: 'twilio', to: BLOCKED_SMS },
];

const hasFailed = ({ state }: Reply['body']) => state === 'failed';
const isSent = ({ state }: Reply['body']) => ['sent', 'delivered', 'read'].includes(state);
/** Twilio never reports on messages to this number by itself. */
const NO_RECEIPT_SMS = '+15005550014';

for (const engine of ENGINES) {
  describe(`resending messages (${engine})`, () => {
    let routed: Routed;
    before(async () => {
      routed = await openRouted(engine);
    });
    after(() => routed[Symbol.asyncDispose]());

    const resend = (id: number, body: Record<string, unknown> = {}) =>
      routed.app.post(`/1/messages/${id}/resend`, body);

    it('a chosen route starts again, with those after it', async () => {
      const { app, post, reach } = routed;
      const { body } = await post({ routes: BOTH_BLOCKED }, BLOCKED);
      await reach(body.id, 'the end', hasFailed);
      const { body: before_ } = await app.get(`/1/messages/${body.id}/attempts`);
      const { status, body: resent } = await resend(body.id, { route: 0 });
      assert.equal(status, 202, JSON.stringify(resent));
      assert.equal(resent.integration_id, routed.integrationId);
      const failed = await reach(body.id, 'the end', hasFailed);
      assert.equal(failed.error.code, 'routes_exhausted');
      const shown = failed.routes.map(({ via, state }: Reply['body']) => [via, state]);
      const once = [
        ['whatsapp', 'failed'],
        ['twilio', 'failed'],
      ];
      assert.deepEqual(shown, [...once, ...once]);
      assert.equal(failed.route, 3);
      const { body: attempts } = await app.get(`/1/messages/${body.id}/attempts`);
      const byRoute = attempts.data.map(({ route }: Reply['body']) => route);
      // The SMS provider had refused the person for good, so the last route makes no attempt.
      assert.deepEqual(byRoute, [0, 1, 2]);
      assert.equal(before_.data.length, 2);
    });

    it('a route that was not tried may be chosen', async () => {
      const { app, post, reach, phoneOf, sms } = routed;
      const later = '2026-11-20T00:00:00Z';
      const routes = [
        { via: 'whatsapp', after: 'PT1M' },
        { via: 'twilio', to: ADA_SMS },
      ];
      const { body } = await post({ routes, send_at: later }, BLOCKED);
      assert.equal((await app.delete(`/1/messages/${body.id}`)).status, 204);
      const before_ = await phoneOf(sms);
      assert.equal((await resend(body.id, { route: 1 })).status, 202);
      const sent = await reach(body.id, 'the SMS', isSent);
      assert.equal(sent.integration_id, sms);
      assert.equal((await phoneOf(sms)).length, before_.length + 1);
    });

    it('a route that was skipped is tried again, and shows no old reason', async () => {
      const { app, post, reach, applicationId } = routed;
      const fields = { application_id: applicationId, name: 'vonage', mode: 'sandbox' };
      const { body: other } = await app.post('/1/integrations', { ...fields, state: 'enable' });
      const routes = [BOTH_BLOCKED[0], { via: String(other.id), to: '15558675310' }];
      const later = '2026-11-20T00:00:00Z';
      const { body } = await post({ routes, send_at: later }, BLOCKED);
      assert.equal((await app.delete(`/1/integrations/${other.id}`)).status, 204);
      const sendAt = { send_at: '2026-11-15T00:00:00Z' };
      assert.equal((await app.put(`/1/messages/${body.id}`, sendAt)).status, 204);
      const failed = await reach(body.id, 'the end', hasFailed);
      assert.equal(failed.routes[1].because.code, 'no_integration');
      // The first route waits for the vendor, so the second is not skipped again before it is shown.
      const path = `/1/sandbox/${routed.integrationId}/behaviour`;
      await app.put(path, { behaviours: [{ fault: 'unavailable' }] });
      assert.equal((await resend(body.id)).status, 202);
      const { routes: shown } = await routed.show(body.id);
      assert.deepEqual([shown[1].state, shown[1].because], ['pending', null]);
      await app.put(path, { behaviours: [] });
      await reach(body.id, 'the end', hasFailed);
    });

    it('a refused message of a batch has the reason on its route', async () => {
      const { app, show } = routed;
      const address = '+15005550099';
      const consent = { family: 'sandbox.sms', address, scope: 'all', state: 'revoked' };
      const stored = await app.post('/1/consents', { ...consent, source: 'import' });
      assert.ok(stored.status < 300, JSON.stringify(stored.body));
      const routes = [
        { via: 'twilio', after: 'PT1M' },
        { via: 'whatsapp', to: '15005550098' },
      ];
      const blocked = { ...consent, family: 'sandbox.whatsapp', address: '+15005550098' };
      await app.post('/1/consents', { ...blocked, source: 'import' });
      const { status, body } = await app.post('/1/messages', {
        messages: [{ message: activity(address), routes }],
      });
      assert.equal(status, 202, JSON.stringify(body));
      const [accepted] = body.data;
      assert.equal(accepted.state, 'suppressed');
      const shown = await show(accepted.id);
      assert.equal(shown.routes[0].because.code, 'suppressed');
    });

    it('a route that does not exist, or a message without routes, is refused', async () => {
      const { post, reach } = routed;
      const { body: plain } = await post({
        message: { ...activity(BLOCKED), generator: WHATSAPP },
      });
      await reach(plain.id, 'the end', hasFailed);
      const { body } = await post({ routes: BOTH_BLOCKED }, BLOCKED);
      await reach(body.id, 'the end', hasFailed);
      for (const [id, route] of [
        [plain.id, 0],
        [body.id, 2],
        [body.id, -1],
      ]) {
        const { status, body: problem } = await resend(id, { route });
        assert.deepEqual([status, problem.errors[0].pointer], [422, '/route']);
      }
      assert.equal((await resend(plain.id, { route: null })).status, 202);
    });

    it('a message that did not arrive is sent again', async () => {
      const { post, reach, receipt, phoneOf, sms } = routed;
      const generator = { type: 'Service', name: 'twilio' };
      const { body } = await post({ message: { ...activity(NO_RECEIPT_SMS), generator } });
      await reach(body.id, 'sent', isSent);
      await receipt(sms, 'failed');
      const failed = await reach(body.id, 'the report', hasFailed);
      assert.equal(failed.error.code, 'undelivered');
      const before_ = await phoneOf(sms);
      assert.equal((await resend(body.id)).status, 202);
      await reach(body.id, 'sent again', isSent);
      assert.equal((await phoneOf(sms)).length, before_.length + 1);
      await receipt(sms, 'delivered');
      await reach(body.id, 'the report', ({ state }) => state === 'delivered');
    });

    it('each route has its own parts, also through the same integration', async () => {
      const { post, reach, phoneOf, integrationId } = routed;
      const object = { type: 'Note', content: 'A long text. '.repeat(500) };
      const routes = [
        { via: 'whatsapp', after: 'PT1M' },
        { via: 'whatsapp', to: ADA },
      ];
      const { status, body } = await post({ message: { ...activity(BLOCKED), object }, routes });
      assert.equal(status, 202, JSON.stringify(body));
      const sent = await reach(body.id, 'the end', (shown) => isSent(shown) || hasFailed(shown));
      // The vendor may have reported it as delivered by now.
      assert.ok(isSent(sent), JSON.stringify(sent.error));
      assert.equal(sent.to, ADA);
      const ids = (await phoneOf(integrationId)).map(({ channel_id: id }) => id);
      assert.ok(sent.parts_sent > 1 && ids.length >= sent.parts_sent);
    });

    it('the vendor gets the time until the next route starts', async () => {
      const { app, reach } = routed;
      const routes = [
        { via: 'twilio', until: 'delivered', after: 'PT10M' },
        { via: 'whatsapp', to: ADA, until: 'read', after: 'PT1M' },
        { via: 'twilio', to: '+15558675311' },
      ];
      const given = { message: activity(ADA_SMS), routes };
      const { body: dry } = await app.post('/1/message?dry_run=true', given);
      const late = dry.routes.map(({ late_delivery: each }: Reply['body']) => each);
      assert.deepEqual(late, [false, true, undefined]);
      const { body } = await app.post('/1/message', given);
      await reach(body.id, 'sent', isSent);
      const { body: attempts } = await app.get(`/1/messages/${body.id}/attempts`);
      const [, seconds] = /ValidityPeriod=(\d+)/.exec(attempts.data[0].request) ?? [];
      assert.ok(Number(seconds) > 500 && Number(seconds) <= 600, attempts.data[0].request);
      assert.equal((await app.delete(`/1/messages/${body.id}`)).status, 204);
    });
  });
}

const WHATSAPP = { type: 'Service', name: 'whatsapp' };
