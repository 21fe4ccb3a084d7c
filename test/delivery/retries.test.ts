import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseTimestamp, timestamp } from '../../src/model/timestamp.ts';
import { contentOf } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { message } from '../support/service/activity.ts';
import {
  asTimePasses,
  openWebhookDelivery,
  passTime,
  whenSent,
} from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** In seconds. */
const SCHEDULE = [1, 5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200];

const unavailable = { status: 503, body: 'down for now' };

for (const engine of ENGINES) {
  describe(`retries (${engine})`, () => {
    async function start() {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      return { clock, sb };
    }

    it('retries ten times with growing pauses and then gives up', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      sb.peer.react = () => unavailable;
      const id = await sb.send('Hello', 'ada');
      for (const [i, seconds] of SCHEDULE.entries()) {
        const made = i + 1;
        const delay = seconds * SECOND;
        const last = await until(`attempt ${made}`, async () => (await sb.attempts(id))[i]);
        const { until: end, detail } = await sb.waiting(id, 'retry');
        assert.match(detail, /down for now/);
        const { attempts, error } = await sb.show(id);
        assert.deepEqual([attempts, error?.code], [made, 'transient']);
        const due = Number(parseTimestamp(end ?? ''));
        // The shown times have a precision of a second. The clock may have advanced since the attempt.
        const pause = due - Number(parseTimestamp(last.started_at)) - last.duration_ms;
        assert.ok(
          pause > 0.8 * delay - SECOND && pause < 1.2 * delay + SECOND,
          `${pause} after attempt ${made}`,
        );
        const left = due - clock.now();
        if (left > SECOND) clock.advance(left - SECOND);
        assert.equal((await sb.show(id)).state, 'queued');
        assert.equal(sb.peer.seen.length, made);
        await asTimePasses(
          clock,
          500,
          `attempt ${made + 1}`,
          () => sb.peer.seen.length === made + 1,
        );
      }
      const failed = await sb.settled(id);
      assert.deepEqual([failed.state, failed.failed_attempts], ['failed', 11]);
      assert.equal(failed.error?.code, 'gave_up');
      assert.match(failed.error?.detail ?? '', /down for now/);
      const attempts = await sb.attempts(id);
      assert.deepEqual(
        attempts.map(({ number, outcome, status }) => [number, outcome, status]),
        Array.from({ length: 11 }, (_unused, i) => [i + 1, 'transient', '503']),
      );

      sb.peer.react = () => ({ status: 204 });
      assert.equal((await sb.settled(await sb.send('next', 'ada'))).state, 'sent');
      await sb.app.post(`/1/messages/${id}/resend`);
      const again = await sb.settled(id);
      assert.deepEqual([again.state, again.failed_attempts, again.error], ['sent', 0, null]);
      assert.equal((await sb.attempts(id)).length, 12, 'earlier attempts stay on record');
    });

    it('retries a waiting message at once on request', async () => {
      const { sb } = await start();
      await using _ = sb;
      sb.peer.react = () => unavailable;
      const id = await sb.send('Hello', 'ada');
      const behind = await sb.send('next', 'ada');
      const tryNow = (which: number) => sb.app.post(`/1/messages/${which}/retry`);
      for (const made of [1, 2]) {
        await sb.waiting(id, 'retry');
        const { attempts, failed_attempts: failed } = await sb.show(id);
        assert.deepEqual([attempts, failed, sb.peer.seen.length], [made, made, made]);
        const { status, body } = await tryNow(id);
        assert.deepEqual([status, body.id, body.to], [202, id, 'ada']);
        await until('another attempt', async () => (await sb.attempts(id)).length === made + 1);
      }
      await sb.waiting(behind, 'order');
      const early = await tryNow(behind);
      assert.deepEqual([early.status, early.body.code], [409, 'message_not_waiting']);
      await sb.waiting(id, 'retry');
      sb.peer.react = () => ({ status: 204 });
      const acting = sb.service.api.with({ 'switchboard-application': String(sb.applicationId) });
      assert.equal((await acting.post(`/1/messages/${id}/retry`)).status, 202);
      assert.deepEqual((await sb.settled(id)).attempts, 4);
      assert.equal((await sb.settled(behind)).attempts, 1);
      const late = await tryNow(id);
      assert.deepEqual([late.status, late.body.code], [409, 'message_not_waiting']);
      assert.equal((await tryNow(999_999)).status, 404);
      const entries: { action: string; subject: { id: number } }[] = (
        await sb.service.api.get('/1/audit')
      ).body.data;
      const retried = entries.filter(({ action }) => action === 'message.retried');
      assert.deepEqual(
        retried.map(({ subject }) => subject.id),
        [id],
      );
    });

    it('spreads the retries of messages that failed together', async () => {
      const { sb } = await start();
      await using _ = sb;
      sb.peer.react = () => unavailable;
      const ids = await sb.sendAll(
        Array.from({ length: 20 }, (_unused, i) => ({ text: 'Hello', to: `r${i}` })),
      );
      for (const id of ids) await sb.waiting(id, 'retry');
      const lanes = await sb.service.store.engine.db.selectFrom('lanes').select('dueAt').execute();
      const moments = new Set(lanes.map(({ dueAt }) => dueAt));
      assert.ok(moments.size > 10, `${moments.size} times for 20 messages`);
    });

    it('expires a message queued past its end time', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      sb.peer.next({ status: 429, headers: { 'retry-after': '3600' } });
      await sb.waiting(await sb.send('limited', 'charles'), 'rate_limit');
      const endTime = timestamp(clock.now() + MINUTE);
      const late = await sb.send('late', 'ada', { endTime });
      const timeless = await sb.send('timeless', 'ada');
      assert.equal((await sb.show(late)).expires_at, endTime);
      clock.advance(MINUTE);
      const expired = await sb.settled(late);
      assert.deepEqual([expired.state, expired.error?.code], ['expired', 'expired']);
      clock.advance(HOUR);
      await whenSent(sb, clock, timeless);
      assert.ok(!sb.peer.seen.map(contentOf).includes('late'));
    });

    it('expires a message whose end time precedes its next attempt, and continues its lane at once', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      sb.peer.react = (request) => (contentOf(request) === 'late' ? unavailable : { status: 204 });
      const end = clock.now() + 20 * SECOND;
      const late = await sb.send('late', 'ada', { endTime: timestamp(end) });
      const next = await sb.send('next', 'ada');
      // After the third attempt it waits for at least 24 s.
      await asTimePasses(clock, 500, 'three attempts', async () => {
        return (await sb.show(late)).failed_attempts === 3;
      });
      await sb.waiting(late, 'retry');
      await sb.waiting(next, 'order');
      const nextTry = clock.now() + 24 * SECOND;
      await passTime(sb.service, clock, end - clock.now());
      assert.equal((await sb.settled(late)).state, 'expired');
      assert.equal((await sb.settled(next)).state, 'sent');
      assert.ok(clock.now() < nextTry, 'long before the next attempt');
      assert.deepEqual(sb.peer.seen.map(contentOf), ['late', 'late', 'late', 'next']);
    });

    it('accepts a message whose end time has passed and does not send it', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      const late = await sb.send('late', 'ada', { endTime: timestamp(clock.now() - SECOND) });
      const next = await sb.send('next', 'ada');
      assert.equal((await sb.settled(next)).state, 'sent');
      const expired = await sb.settled(late);
      assert.deepEqual([expired.state, expired.failed_attempts], ['expired', 0]);
      assert.deepEqual(sb.peer.seen.map(contentOf), ['next']);
      await sb.app.post(`/1/messages/${late}/resend`);
      assert.equal((await sb.settled(late)).state, 'sent', 'its end time no longer applies');
    });

    it('finishes a message in flight at its end time', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      const { promise, resolve } = Promise.withResolvers<{ status: number }>();
      sb.peer.react = () => promise;
      const id = await sb.send('just so', 'ada', { endTime: timestamp(clock.now() + SECOND) });
      await until('the request', () => sb.peer.seen.length === 1);
      clock.advance(5 * SECOND);
      assert.equal((await sb.show(id)).state, 'sending');
      resolve({ status: 204 });
      assert.equal((await sb.settled(id)).state, 'sent');
    });

    it('refuses an invalid end time', async () => {
      const { sb } = await start();
      await using _ = sb;
      for (const endTime of [
        'tomorrow',
        '',
        '2026-13-01',
        '2026-02-30T10:00:00Z',
        '12:00',
        5,
        null,
      ]) {
        const { status, body } = await sb.app.post('/1/message', message({ endTime }));
        assert.equal(status, 422, `endTime ${String(endTime)}`);
        assert.equal(body.errors[0].pointer, '/message/endTime');
      }
      const { body } = await sb.app.get('/1/messages');
      assert.deepEqual(body.data, []);
    });
  });
}
