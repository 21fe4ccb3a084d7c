import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type Endpoint, contentOf } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import {
  type DeliveryService,
  asTimePasses,
  openWebhookDelivery,
} from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

/* Scheduled messages to contacts: the address is chosen again when they leave. */

const HOUR_MS = 3_600_000;

interface Person {
  id: number;
  addresses: { id: number; address: string }[];
}

for (const engine of ENGINES) {
  describe(`scheduled messages to contacts (${engine})`, () => {
    const clock = new TestClock();
    let sb: DeliveryService<Endpoint>;
    before(async () => {
      sb = await openWebhookDelivery(engine, { clock });
    });
    after(() => sb[Symbol.asyncDispose]());

    let people = 0;
    const newPerson = async () => {
      const name = `person${++people}`;
      const addresses = ['one', 'two'].map((which, i) => ({
        channel: 'webhook',
        address: `${name}-${which}`,
        preference: i + 1,
      }));
      const { body } = await sb.app.post('/1/contacts', { addresses });
      return { name, person: body as Person };
    };
    const schedule = async ({ id }: Person, text: string, change: Record<string, unknown> = {}) => {
      const to = { type: 'Person', id: `contact:${id}` };
      const { body, status } = await sb.app.post('/1/message', {
        ...message({ to, object: { type: 'Note', content: text } }),
        send_at: new Date(clock.now() + HOUR_MS).toISOString(),
        ...change,
      });
      assert.equal(status, 202, JSON.stringify(body));
      return body as { id: number; to: string };
    };
    const whenLeft = async (id: number) => {
      clock.leap(HOUR_MS);
      return asTimePasses(clock, 500, 'it leaves', async () => {
        const { body } = await sb.app.get(`/1/messages/${id}`);
        return !['scheduled', 'queued', 'sending'].includes(body.state) && body;
      });
    };
    const change = ({ id, addresses }: Person, which: number, fields: Record<string, unknown>) =>
      sb.app.put(`/1/contacts/${id}/addresses/${addresses[which]?.id}`, fields);

    it('a scheduled message goes to the address that is best when it leaves', async () => {
      const { name, person } = await newPerson();
      const { id, to } = await schedule(person, 'best');
      assert.equal(to, `${name}-one`);
      await change(person, 0, { state: 'disabled' });
      const left = await whenLeft(id);
      assert.deepEqual(
        [left.state, left.to, left.chosen_because, left.contact_id],
        ['sent', `${name}-two`, 'only_usable', person.id],
      );
    });

    it('a scheduled message leaves in the order of its time, to the address of that time', async () => {
      const { name, person } = await newPerson();
      const first = await schedule(person, 'earlier');
      const direct = await sb.app.post('/1/message', {
        ...message({
          to: { type: 'Person', id: `${name}-two` },
          object: { type: 'Note', content: 'later' },
        }),
        send_at: new Date(clock.now() + HOUR_MS + 1).toISOString(),
      });
      await change(person, 1, { preference: 0 });
      clock.leap(HOUR_MS);
      await whenLeft(direct.body.id);
      const { body } = await sb.app.get(`/1/messages/${first.id}`);
      assert.deepEqual([body.to, body.chosen_because], [`${name}-two`, 'preference']);
      assert.deepEqual(
        sb.peer.seen.map(contentOf).filter((text) => ['earlier', 'later'].includes(text)),
        ['earlier', 'later'],
      );
    });

    it('a scheduled message without a usable address fails, and one that cannot be sent for another reason keeps its address', async () => {
      const { person } = await newPerson();
      const { id } = await schedule(person, 'nobody');
      for (const which of [0, 1]) await change(person, which, { state: 'disabled' });
      const left = await whenLeft(id);
      assert.deepEqual([left.state, left.error?.code], ['failed', 'no_address']);
      const { data } = (await sb.app.get('/1/events?order=desc&limit=1')).body;
      assert.deepEqual([data[0].type, data[0].data.id], ['message.failed', id]);

      const { person: stopped, name } = await newPerson();
      const other = await schedule(stopped, 'stopped');
      for (const which of ['one', 'two']) {
        const address = `${name}-${which}`;
        await sb.app.post('/1/consents', { family: 'webhook', address, state: 'revoked' });
      }
      assert.equal((await whenLeft(other.id)).state, 'suppressed');
    });

    it('a scheduled message to a merged or deleted contact leaves', async () => {
      const { name, person } = await newPerson();
      const { person: kept } = await newPerson();
      const { id } = await schedule(person, 'merged');
      await change(kept, 0, { state: 'disabled' });
      await change(kept, 1, { state: 'disabled' });
      await sb.app.post(`/1/contacts/${kept.id}/merge`, { contact_id: person.id });
      const left = await whenLeft(id);
      assert.deepEqual([left.state, left.to], ['sent', `${name}-one`]);

      const { name: gone, person: deleted } = await newPerson();
      const other = await schedule(deleted, 'deleted');
      await sb.app.delete(`/1/contacts/${deleted.id}`);
      const sent = await whenLeft(other.id);
      assert.deepEqual([sent.state, sent.to], ['sent', `${gone}-one`]);
    });

    it('a scheduled message may leave through another integration', async () => {
      const { name, person } = await newPerson();
      const { id: other } = await integrate(sb.app, sb.applicationId, {
        name: 'webhook',
        token: undefined,
        address: sb.peer.url,
        state: 'disable',
      });
      const { id } = await schedule(person, 'elsewhere');
      await sb.app.put(`/1/integrations/${other}`, { name: 'webhook', state: 'enable' });
      await sb.app.put(`/1/integrations/${sb.integrationId}`, {
        name: 'webhook',
        state: 'disable',
      });
      const left = await whenLeft(id);
      await sb.app.put(`/1/integrations/${sb.integrationId}`, { name: 'webhook', state: 'enable' });
      await sb.app.put(`/1/integrations/${other}`, { name: 'webhook', state: 'disable' });
      assert.deepEqual([left.state, left.to, left.integration_id], ['sent', `${name}-one`, other]);
    });
  });
}
