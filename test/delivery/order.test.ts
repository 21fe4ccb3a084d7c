import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { webhook } from '../../src/channels/webhook/channel.ts';
import { contentOf, createGate, recipientOf } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { openWebhookDelivery, whenSent } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const AT_ONCE = Number(webhook.concurrency);
const unavailable = { status: 503 };
const refused = { status: 400 };

for (const engine of ENGINES) {
  describe(`message order (${engine})`, () => {
    it('a retry holds back its own lane and no other', async () => {
      const clock = new TestClock();
      await using sb = await openWebhookDelivery(engine, { clock });
      let failures = 3;
      sb.peer.react = (request) =>
        contentOf(request) === 'first' && failures-- > 0 ? unavailable : { status: 204 };
      const first = await sb.send('first', 'ada');
      const second = await sb.send('second', 'ada');
      const third = await sb.send('third', 'ada');
      await sb.waiting(first, 'retry');
      for (const follower of [second, third]) {
        assert.equal((await sb.waiting(follower, 'order')).until, null);
      }
      const other = await sb.send('other', 'charles');
      assert.equal((await sb.settled(other)).state, 'sent');
      assert.equal((await sb.show(second)).state, 'queued');

      const ids = [first, second, third];
      for (const id of ids) {
        await whenSent(sb, clock, id);
      }
      const ofLane = sb.peer.seen.filter((request) => recipientOf(request) === 'ada');
      const tries = ['first', 'first', 'first', 'first'];
      assert.deepEqual(ofLane.map(contentOf), [...tries, 'second', 'third']);
      assert.equal((await sb.show(first)).failed_attempts, 3);
    });

    it('sends a batch in its given order despite failures', async () => {
      const clock = new TestClock();
      await using sb = await openWebhookDelivery(engine, { clock });
      const failed = new Set<string>();
      sb.peer.react = (request) => {
        const text = contentOf(request);
        // Every third message fails once.
        if (Number(text) % 3 !== 0 || failed.has(text)) return { status: 204 };
        failed.add(text);
        return unavailable;
      };
      const batch = Array.from({ length: 60 }, (_, i) => ({ text: String(i), to: `r${i % 4}` }));
      const ids = await sb.sendAll(batch);
      for (const id of ids) {
        await whenSent(sb, clock, id, 250);
      }
      for (const recipient of ['r0', 'r1', 'r2', 'r3']) {
        const texts = sb.peer.seen
          .filter((request) => recipientOf(request) === recipient)
          .map(contentOf);
        const sent = texts.filter((text, i) => texts[i - 1] !== text);
        const expected = batch.filter(({ to }) => to === recipient).map(({ text }) => text);
        assert.deepEqual(sent, expected);
        const again = texts.length - sent.length;
        assert.equal(again, expected.filter((text) => Number(text) % 3 === 0).length);
      }
    });

    it('sends the next message when one fails permanently', async () => {
      await using sb = await openWebhookDelivery(engine);
      sb.peer.react = (request) => (contentOf(request) === 'bad' ? refused : { status: 204 });
      const [bad = 0, good = 0] = await sb.sendAll([
        { text: 'bad', to: 'ada' },
        { text: 'good', to: 'ada' },
      ]);
      assert.equal((await sb.settled(bad)).error?.code, 'content');
      assert.equal((await sb.settled(good)).state, 'sent');
      assert.deepEqual(sb.peer.seen.map(contentOf), ['bad', 'good']);
    });

    it('sends at most one request per lane at a time, and several lanes at once', async () => {
      await using sb = await openWebhookDelivery(engine);
      const lanes = ['ada', 'charles', 'grace', 'alan'];
      const busy = new Set<string>();
      const overlaps: string[] = [];
      let together = 0;
      const allThere = createGate();
      sb.peer.react = async (request) => {
        const recipient = recipientOf(request);
        if (busy.has(recipient)) overlaps.push(recipient);
        busy.add(recipient);
        together = Math.max(together, busy.size);
        if (busy.size === lanes.length) allThere.open();
        // No request is answered before each lane has sent one.
        await allThere.opened;
        await new Promise((resolve) => setImmediate(resolve));
        busy.delete(recipient);
        return { status: 204 };
      };
      const batch = Array.from({ length: 200 }, (_, i) => ({
        text: String(i),
        to: lanes[i % lanes.length] ?? '',
      }));
      const ids = await sb.sendAll(batch);
      await until('all messages are sent', async () => {
        const { body } = await sb.app.get(`/1/messages?state=sent&limit=1000`);
        return body.data.length === ids.length;
      });
      assert.deepEqual(overlaps, []);
      assert.equal(together, lanes.length);
      for (const lane of lanes) {
        assert.deepEqual(
          sb.peer.seen.filter((request) => recipientOf(request) === lane).map(contentOf),
          batch.filter(({ to }) => to === lane).map(({ text }) => text),
        );
      }
    });

    it('has no more requests in flight than the channel allows', async () => {
      await using sb = await openWebhookDelivery(engine);
      const enough = createGate();
      sb.peer.react = async () => {
        await enough.opened;
        return { status: 204 };
      };
      const ids = await sb.sendAll(
        Array.from({ length: AT_ONCE + 10 }, (_, i) => ({ text: String(i), to: `recipient ${i}` })),
      );
      await until('the maximum of a webhook is in flight', () => sb.peer.inFlight === AT_ONCE);
      const { body } = await sb.app.get('/1/messages?state=sending&limit=1000');
      assert.equal(body.data.length, AT_ONCE);
      enough.open();
      for (const id of ids) assert.equal((await sb.settled(id)).state, 'sent');
      assert.equal(sb.peer.maxInFlight, AT_ONCE);
    });

    it('puts a resent message at the end of its lane', async () => {
      const clock = new TestClock();
      await using sb = await openWebhookDelivery(engine, { clock });
      sb.peer.react = (request) => (contentOf(request) === 'bad' ? refused : unavailable);
      const bad = await sb.send('bad', 'ada');
      await sb.settled(bad);
      const next = await sb.send('next', 'ada');
      await sb.waiting(next, 'retry');
      await sb.app.post(`/1/messages/${bad}/resend`);
      await sb.waiting(bad, 'order');
      sb.peer.react = () => ({ status: 204 });
      await whenSent(sb, clock, bad);
      assert.deepEqual(sb.peer.seen.map(contentOf), ['bad', 'next', 'next', 'bad']);
    });
  });
}
