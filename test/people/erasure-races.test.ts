import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sql } from 'kysely';

import type { Endpoint, Reaction } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import {
  type DeliveryService,
  asTimePasses,
  openWebhookDelivery,
} from '../support/service/delivery.ts';
import { tracesOf } from '../support/service/traces.ts';
import { ENGINES } from '../support/store/databases.ts';
import { whileHeld } from '../support/store/locks.ts';
import { until } from '../support/until.ts';

/*
 * Erasures at the same time as everything else that concerns the person. The clock stands still, so an erasure waits for
 * late requests until a test advances it; a gate holds one call of the store.
 */

const HOUR_MS = 3_600_000;

/** Holds calls until it is opened. */
class Gate {
  readonly #opened = Promise.withResolvers<void>();
  readonly #reached = Promise.withResolvers<void>();

  /** Resolves when a call waits. */
  readonly reached = this.#reached.promise;
  isReached = false;

  open = () => this.#opened.resolve();

  async pass(): Promise<void> {
    this.isReached = true;
    this.#reached.resolve();
    await this.#opened.promise;
  }
}

const via = (id: number) => ({ generator: { type: 'Service', id: String(id), name: 'webhook' } });

for (const engine of ENGINES) {
  describe(`erasing a contact at the same time (${engine})`, () => {
    const clock = new TestClock();
    let sb: DeliveryService<Endpoint>;
    before(async () => {
      sb = await openWebhookDelivery(engine, { clock });
    });
    after(() => sb[Symbol.asyncDispose]());

    let people = 0;
    const newPerson = async () => {
      const address = `erased-person-${++people}`;
      const json = { name: address, addresses: [{ channel: 'webhook', address }] };
      const { body } = await sb.app.post('/1/contacts', json);
      return { id: body.id as number, address };
    };
    const send = (to: string, text: string, change: Record<string, unknown> = {}) =>
      sb.app.post('/1/message', {
        ...message({ to: { type: 'Person', id: to }, object: { type: 'Note', content: text } }),
        ...change,
      });
    const erase = async (id: number) => {
      const { status } = await sb.app.post(`/1/contacts/${id}/erase`);
      assert.equal(status, 202);
    };
    const isDone = async (id: number) => {
      const { body } = await sb.app.get(`/1/contacts/${id}/erasure`);
      return body.state === 'done';
    };
    const finished = (id: number) => asTimePasses(clock, 500, 'the erasure', () => isDone(id));
    const seen = (text: string) =>
      sb.peer.seen.filter((request) => request.text.includes(text)).length;
    const traces = (text: string) => tracesOf(sb.service.store, text);

    it('messages that wait are not sent once the erasure is answered', async () => {
      const { id, address } = await newPerson();
      const answer = Promise.withResolvers<Reaction>();
      sb.peer.react = ({ text }) => (text.includes(address) ? answer.promise : { status: 204 });
      const first = (await send(`contact:${id}`, `in flight: ${address}`)).body.id;
      await until('the first is being sent', () => seen(address) === 1);
      const soon = new Date(clock.now() + 100).toISOString();
      const waiting = await Promise.all([
        send(`contact:${id}`, `queued: ${address}`),
        send(address, `queued, by address: ${address}`),
        send(`contact:${id}`, `scheduled: ${address}`, { send_at: soon }),
        send(address, `scheduled, by address: ${address}`, { send_at: soon }),
      ]);
      await erase(id);
      for (const { body, status } of waiting) {
        assert.equal(status, 202);
        assert.equal((await sb.app.get(`/1/messages/${body.id}`)).status, 404, body.state);
      }
      assert.equal((await sb.show(first)).state, 'sending');
      clock.advance(1_000);
      answer.resolve({ status: 204 });
      await finished(id);
      assert.equal(seen(address), 1);
      assert.equal((await sb.app.get(`/1/messages/${first}`)).status, 404);
      assert.deepEqual(await traces(address), []);
    });

    it('messages that wait are found behind those of another integration to the same recipient', async () => {
      const { app, applicationId, integrationId } = sb;
      const other = await integrate(app, applicationId, { name: 'webhook', address: sb.peer.url });
      const address = `erased-person-${++people}`;
      const own = { channel: 'webhook', address, integration_id: integrationId };
      const { body: contact } = await app.post('/1/contacts', { addresses: [own] });
      const later = new Date(clock.now() + HOUR_MS).toISOString();
      const through = (id: number) => ({
        message: { ...message({ to: { type: 'Person', id: address } }).message, ...via(id) },
        send_at: later,
      });
      const messages = Array.from({ length: 250 }, () => through(other.id));
      const foreign = await app.post('/1/messages', { messages });
      assert.equal(foreign.status, 202);
      const { body } = await app.post('/1/message', through(integrationId));
      await erase(contact.id);
      assert.equal((await app.get(`/1/messages/${body.id}`)).status, 404);
      assert.equal((await app.get(`/1/messages/${foreign.body.data[249].id}`)).status, 200);
      assert.equal((await app.delete(`/1/integrations/${other.id}`)).status, 204);
    });

    it('conversations that were read from the feed before it leave no trace', async () => {
      const { id, address } = await newPerson();
      await sb.app.get('/1/conversations');
      const { body } = await send(address, 'hello');
      await sb.settled(body.id);
      const { conversations } = sb.service.store;
      const gate = new Gate();
      const apply = conversations.apply.bind(conversations);
      conversations.apply = async (...args) => {
        await gate.pass();
        return apply(...args);
      };
      const list = sb.app.get('/1/conversations');
      await gate.reached;
      await erase(id);
      await finished(id);
      gate.open();
      assert.equal((await list).status, 200);
      await sb.app.get('/1/conversations');
      assert.deepEqual(await traces(address), []);
    });

    it('a file that was imported before it does not create the contact again', async () => {
      const { id, address } = await newPerson();
      const { contactImports, erasures } = sb.service.store;
      const [importing, removing] = [new Gate(), new Gate()];
      const runBatch = contactImports.runBatch.bind(contactImports);
      contactImports.runBatch = async (...args) => {
        await importing.pass();
        return runBatch(...args);
      };
      const removeImported = erasures.removeImported.bind(erasures);
      erasures.removeImported = async (...args) => {
        await removing.pass();
        return removeImported(...args);
      };
      const { body: file, status } = await sb.app.request('POST', '/1/contact-imports', {
        raw: `external_id,webhook\nanother,${address}\nother-${address.slice(7)},somebody-else\n`,
        headers: { 'content-type': 'text/csv' },
      });
      assert.equal(status, 202);
      await asTimePasses(clock, 100, 'the import begins', () => importing.isReached);
      await erase(id);
      importing.open();
      await removing.reached;
      // Several rounds of the import.
      for (let i = 0; i < 5; i++) await clock.advanceGently(300);
      removing.open();
      await finished(id);
      const done = await asTimePasses(clock, 300, 'the import', async () => {
        const { body } = await sb.app.get(`/1/contact-imports/${file.id}`);
        return body.state === 'done' && body;
      });
      assert.deepEqual([done.created, done.failed], [1, 1]);
      assert.deepEqual(await traces(address), []);
    });

    // SQLite writes one transaction after the other.
    if (engine === 'sqlite') return;

    it('copies of events that are being made for the webhook are awaited, and removed', async () => {
      const { applicationId, service } = sb;
      const webhook = { webhook_url: 'https://hooks.example.com/events' };
      const { status } = await sb.api.put(`/1/applications/${applicationId}`, webhook);
      assert.equal(status, 204);
      const { id } = await newPerson();
      await erase(id);
      const { db } = service.store.engine;
      const waiting = sql`select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like 'update "endpoints"%'`;
      let ended: Promise<unknown> = Promise.resolve();
      await db.transaction().execute(async (trx) => {
        // As a copy does.
        await sql`select 1 from endpoints where application_id = ${applicationId} for update`.execute(
          trx,
        );
        ended = finished(id);
        await until('the erasure waits', async () => (await waiting.execute(db)).rows.length > 0);
      });
      await ended;
    });

    it('a stop that arrives during the erasure stays in force', async () => {
      const { id, address } = await newPerson();
      const consent = { family: 'webhook', address, scope: 'all' };
      const { status } = await sb.app.post('/1/consents', { ...consent, state: 'granted' });
      assert.equal(status, 201);
      await erase(id);
      const stop = sql`update consents set state = 'revoked', updated_at = ${clock.now() + HOUR_MS}
        where application_id = ${sb.applicationId} and key = ${`webhook:${address}`}`;
      await whileHeld(sb.service.store, stop, () => finished(id), sql`select 1`);
      const refused = await send(address, 'after the stop');
      assert.deepEqual([refused.status, refused.body.code], [422, 'recipient_suppressed']);
    });
  });
}
