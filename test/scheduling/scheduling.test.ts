import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { contentOf, createGate } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { message } from '../support/service/activity.ts';
import {
  type DeliveryService,
  asTimePasses,
  openWebhookDelivery,
} from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;

const body = (text: string, to = 'ada', change: Record<string, unknown> = {}) =>
  message({ to: { type: 'Person', id: to }, object: { type: 'Note', content: text }, ...change });

/** An hour after the start of the clock. */
const AT = '2026-11-15T01:00:00Z';
const SHOWN_AT = '2026-11-15T01:00:00';

for (const engine of ENGINES) {
  describe(`scheduled messages (${engine})`, () => {
    async function open() {
      const clock = new TestClock();
      return { clock, sb: await openWebhookDelivery(engine, { clock }) };
    }

    const schedule = async (
      sb: DeliveryService,
      text: string,
      to = 'ada',
      sendAt: unknown = AT,
    ) => {
      const { status, body: accepted } = await sb.app.post('/1/message', {
        ...body(text, to),
        send_at: sendAt,
      });
      assert.equal(status, 202, JSON.stringify(accepted));
      return accepted as { id: number; state: string; send_at?: string };
    };

    it('a scheduled message leaves at its time and not before', async () => {
      const { clock, sb } = await open();
      await using _ = sb;
      const { id, state, send_at: sendAt } = await schedule(sb, 'later');
      assert.deepEqual([state, sendAt], ['scheduled', SHOWN_AT]);
      const shown = await sb.show(id);
      assert.equal(shown.state, 'scheduled');
      assert.deepEqual([shown.waiting?.reason, shown.waiting?.until], ['schedule', SHOWN_AT]);
      // Others to the same recipient do not wait for it.
      const now = await sb.send('now', 'ada');
      assert.equal((await sb.settled(now)).state, 'sent');
      clock.leap(HOUR_MS - 1);
      await sb.service.store.schedule.release(clock.now(), 500);
      assert.equal((await sb.show(id)).state, 'scheduled');
      await asTimePasses(clock, 500, 'the message leaves', async () => {
        return (await sb.show(id)).state === 'sent';
      });
      assert.deepEqual(sb.peer.seen.map(contentOf), ['now', 'later']);
      assert.equal((await sb.app.get(`/1/messages/${id}`)).body.send_at, SHOWN_AT);
    });

    it('scheduled messages of a lane leave in the order of their times, after queued ones', async () => {
      const { clock, sb } = await open();
      await using _ = sb;
      const answer = createGate();
      sb.peer.react = async () => {
        await answer.opened;
        return { status: 204 };
      };
      await schedule(sb, 'fourth', 'ada', '2026-11-15T00:30:01Z');
      await schedule(sb, 'third', 'ada', '2026-11-15T00:30:00Z');
      await sb.send('first', 'ada');
      await sb.send('second', 'ada');
      const { released } = await sb.service.store.schedule.release(clock.now() + HOUR_MS, 500);
      assert.equal(released.length, 2);
      await sb.send('fifth', 'ada');
      answer.open();
      await until('all arrive', () => sb.peer.seen.length === 5);
      const order = ['first', 'second', 'third', 'fourth', 'fifth'];
      assert.deepEqual(sb.peer.seen.map(contentOf), order);
    });

    it('a scheduled message can be changed until it leaves', async () => {
      const { clock, sb } = await open();
      await using _ = sb;
      const { id } = await schedule(sb, 'draft');
      const changed = body('final', 'bea');
      const path = `/1/messages/${id}`;
      assert.equal((await sb.app.put(path, { send_at: '2026-11-15T02:00:00Z' })).status, 204);
      assert.equal((await sb.app.put(path, changed)).status, 204);
      const { body: shown } = await sb.app.get(path);
      assert.deepEqual(
        [shown.send_at, shown.to, shown.message.object.content],
        ['2026-11-15T02:00:00', 'bea', 'final'],
      );
      for (const [wrong, pointer] of [
        [{}, '/message'],
        [{ options: {} }, '/message'],
        [{ send_at: AT, template: { name: 'greeting' } }, '/message'],
        [{ send_at: AT, routes: [{ via: 'slack' }] }, '/message'],
        [{ send_at: 'soon' }, '/send_at'],
        [{ sendAt: AT, ...changed }, '/sendAt'],
        [body('x', 'bea', { endTime: AT }), '/message/endTime'],
      ] as const) {
        const { status, body: problem } = await sb.app.put(path, wrong);
        assert.deepEqual([status, problem.errors[0].pointer], [422, pointer]);
      }
      assert.deepEqual((await sb.app.get(path)).body, shown, 'a refused change changes nothing');
      assert.equal((await sb.app.put(path, { send_at: '2020-01-01T00:00:00Z' })).status, 204);
      await asTimePasses(clock, 500, 'it leaves', () => sb.peer.seen.length === 1);
      assert.deepEqual(sb.peer.seen.map(contentOf), ['final']);
      await sb.settled(id);
      const late = await sb.app.put(path, { send_at: AT });
      assert.deepEqual([late.status, late.body.code], [409, 'message_not_scheduled']);
      assert.equal((await sb.app.put('/1/messages/999999', { send_at: AT })).status, 404);
    });

    it('changes of a scheduled message at the same time are all made', async () => {
      const { sb } = await open();
      await using _ = sb;
      const { schedule: stored } = sb.service.store;
      const { id } = await schedule(sb, 'draft');
      const path = `/1/messages/${id}`;
      const change = stored.change.bind(stored);
      let hasBeenFirst = false;
      // Another request is first, between the reading and the writing of this one.
      stored.change = async (...args) => {
        if (!hasBeenFirst) {
          hasBeenFirst = true;
          const first = await sb.app.put(path, { send_at: '2026-11-15T03:00:00Z' });
          assert.equal(first.status, 204);
        }
        return change(...args);
      };
      assert.equal((await sb.app.put(path, body('final'))).status, 204);
      const { body: shown } = await sb.app.get(path);
      assert.deepEqual(
        [shown.send_at, shown.message.object.content],
        ['2026-11-15T03:00:00', 'final'],
      );
      hasBeenFirst = false;
      const late = await sb.app.put(
        path,
        body('final', 'ada', { endTime: '2026-11-15T02:30:00Z' }),
      );
      assert.deepEqual([late.status, late.body.code], [422, 'invalid_fields']);
      assert.equal((await sb.app.get(path)).body.send_at, '2026-11-15T03:00:00');
    });

    it('a canceled message never leaves, and can be sent again', async () => {
      const { clock, sb } = await open();
      await using _ = sb;
      const { id } = await schedule(sb, 'canceled');
      assert.equal((await sb.app.delete(`/1/messages/${id}`)).status, 204);
      assert.equal((await sb.app.delete(`/1/messages/${id}`)).status, 204);
      assert.equal((await sb.show(id)).state, 'canceled');
      clock.leap(2 * HOUR_MS);
      const after = await schedule(sb, 'after', 'ada', '2026-11-15T02:00:01Z');
      await asTimePasses(clock, 500, 'the next one leaves', () => sb.peer.seen.length === 1);
      assert.equal((await sb.settled(after.id)).state, 'sent');
      assert.deepEqual(sb.peer.seen.map(contentOf), ['after']);
      const { status, body: resent } = await sb.app.post(`/1/messages/${id}/resend`);
      assert.deepEqual([status, resent.state, 'send_at' in resent], [202, 'queued', false]);
      await asTimePasses(clock, 500, 'it is sent', () => sb.peer.seen.length === 2);
      const { body: events } = await sb.app.get('/1/events');
      const types = events.data.map(({ type }: { type: string }) => type);
      assert.deepEqual(types.filter((type: string) => type === 'message.canceled').length, 1);
    });

    it('a repeated request gets the first response, even after the message was changed', async () => {
      const { clock, sb } = await open();
      await using _ = sb;
      const key = { headers: { 'idempotency-key': 'once' } };
      const request = { ...body('once'), send_at: AT };
      const first = await sb.app.post('/1/message', request, key);
      const id = first.body.id;
      assert.equal(
        (await sb.app.put(`/1/messages/${id}`, { send_at: '2026-11-15T00:00:01Z' })).status,
        204,
      );
      assert.deepEqual((await sb.app.post('/1/message', request, key)).body, first.body);
      await asTimePasses(clock, 500, 'it leaves', () => sb.peer.seen.length === 1);
      await sb.settled(id);
      assert.deepEqual((await sb.app.post('/1/message', request, key)).body, first.body);
      const batchKey = { headers: { 'idempotency-key': 'both' } };
      const batch = {
        messages: [body('now').message, { ...body('later'), send_at: '2026-11-16T00:00:00Z' }],
      };
      const both = await sb.app.post('/1/messages', batch, batchKey);
      assert.deepEqual(
        both.body.data.map(({ state }: { state: string }) => state),
        ['queued', 'scheduled'],
      );
      assert.deepEqual((await sb.app.post('/1/messages', batch, batchKey)).body, both.body);
      assert.equal(sb.peer.seen.length <= 2, true);
    });

    it('retention keeps scheduled messages, deleting their integration cancels them', async () => {
      const { clock, sb } = await open();
      await using _ = sb;
      const { id } = await schedule(sb, 'far', 'ada', '2027-10-01T00:00:00Z');
      const { store } = sb.service;
      const now = clock.now() + 300 * 24 * HOUR_MS;
      for (let more = true; more;) more = await store.retention.removeOld(now, 24 * HOUR_MS, 200);
      assert.equal((await sb.show(id)).state, 'scheduled');
      assert.equal((await sb.app.delete(`/1/integrations/${sb.integrationId}`)).status, 204);
      await asTimePasses(clock, 500, 'it is canceled', async () => {
        return (await sb.show(id)).state === 'canceled';
      });
    });

    it('messages can be listed by the state scheduled', async () => {
      const { sb } = await open();
      await using _ = sb;
      const { id } = await schedule(sb, 'later');
      const { body: list } = await sb.app.get('/1/messages?state=scheduled');
      assert.deepEqual(
        list.data.map((one: { id: number }) => one.id),
        [id],
      );
      const resend = await sb.app.post('/1/messages/resend', { state: 'scheduled' });
      assert.equal(resend.status, 422);
    });

    it('the messages to a recipient are listed in order, whether they were scheduled or not', async () => {
      const { clock, sb } = await open();
      await using _ = sb;
      const ids: number[] = [];
      for (const text of ['one', 'two', 'three']) {
        ids.push(await sb.send(text, 'ada'), (await schedule(sb, `${text}, later`)).id);
        clock.advance(1);
        await sb.send(text, 'grace');
      }
      const [, first = 0, , second = 0] = ids;
      await sb.app.delete(`/1/messages/${first}`);
      const list = async (query: string) => {
        const found: number[] = [];
        for (let after = ''; ;) {
          const { body: page } = await sb.app.get(`/1/messages?to=ada&limit=2${query}${after}`);
          found.push(...page.data.map((one: { id: number }) => one.id));
          if (page.data.length < 2) return found;
          after = `&starting_after=${found.at(-1)}`;
        }
      };
      assert.deepEqual(await list(''), ids.toReversed());
      assert.deepEqual(await list('&state=canceled,scheduled'), [ids[5], second, first]);
      const filter = { filter: { to: 'ada', state: 'canceled' } };
      const { body: counted } = await sb.app.post('/1/messages/resend?dry_run=true', filter);
      assert.equal(counted.total, 1, JSON.stringify(counted));
      clock.leap(HOUR_MS);
      await asTimePasses(clock, 500, 'the message leaves', async () => {
        return (await sb.show(second)).state === 'sent';
      });
      assert.deepEqual(await list(''), ids.toReversed());
    });
  });
}
