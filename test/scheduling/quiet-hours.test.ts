import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { contentOf } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { message } from '../support/service/activity.ts';
import {
  type DeliveryService,
  asTimePasses,
  openWebhookDelivery,
} from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

const HOUR_MS = 3_600_000;
const EVERY_DAY = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** The clock starts on Sunday, 2026-11-15T00:00:00Z. */
const NIGHT = {
  categories: ['marketing'],
  days: EVERY_DAY,
  from: '22:00',
  until: '08:00',
  action: 'defer',
};
const END = '2026-11-15T08:00:00';
const KEY = { headers: { 'idempotency-key': 'batch' } };

const body = (text: string, change: Record<string, unknown> = {}) => ({
  ...message({
    to: { type: 'Person', id: 'ada' },
    object: { type: 'Note', content: text },
    ...change,
  }),
  category: 'marketing',
});

const quiet = (...rules: unknown[]) => ({ quiet_hours: { default_zone: 'UTC', rules } });

for (const engine of ENGINES) {
  describe(`quiet hours (${engine})`, () => {
    async function open(...rules: unknown[]) {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      if (rules.length > 0) await set(sb, ...rules);
      return { clock, sb };
    }

    const policies = ({ applicationId }: DeliveryService) =>
      `/1/applications/${applicationId}/policies`;

    async function set(sb: DeliveryService, ...rules: unknown[]) {
      const { status, body: problem } = await sb.api.put(policies(sb), quiet(...rules));
      assert.equal(status, 204, JSON.stringify(problem));
    }

    it('quiet hours defer messages of their categories, and the answer says until when', async () => {
      const { clock, sb } = await open(NIGHT);
      await using _ = sb;
      const preview = await sb.app.post('/1/message?dry_run=true', body('offer'));
      assert.equal(preview.body.send_at, END);
      const { body: accepted } = await sb.app.post('/1/message', body('offer'));
      assert.deepEqual([accepted.state, accepted.send_at], ['scheduled', END]);
      const { waiting, error } = await sb.show(accepted.id);
      assert.deepEqual([waiting?.reason, waiting?.until, error], ['quiet_hours', END, null]);
      const urgent = await sb.send('code', 'ada');
      assert.equal((await sb.settled(urgent)).state, 'sent');
      clock.leap(8 * HOUR_MS - 2_000);
      await asTimePasses(clock, 500, 'the offer arrives', () => sb.peer.seen.length === 2);
      assert.ok(clock.now() >= Date.parse(`${END}Z`));
      assert.deepEqual(sb.peer.seen.map(contentOf), ['code', 'offer']);
    });

    it('quiet hours refuse messages, or those that would expire in them', async () => {
      const { sb } = await open({ ...NIGHT, action: 'refuse' });
      await using _ = sb;
      const refused = await sb.app.post('/1/message', body('offer'));
      assert.deepEqual([refused.status, refused.body.code], [422, 'quiet_hours']);
      const later = { ...body('offer'), send_at: '2026-11-15T09:00:00Z' };
      assert.equal((await sb.app.post('/1/message', later)).status, 202);
      await set(sb, NIGHT);
      const short = await sb.app.post('/1/message', body('offer', { endTime: `${END}Z` }));
      assert.deepEqual([short.status, short.body.code], [422, 'quiet_hours']);
    });

    it('a message to a contact has the zone of the contact', async () => {
      const { clock, sb } = await open(NIGHT);
      await using _ = sb;
      const created = await sb.app.post('/1/contacts', {
        timezone: 'Asia/Tokyo',
        addresses: [{ channel: 'webhook', address: 'ada' }],
      });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      const toAda = { to: { type: 'Person', id: `contact:${created.body.id}` } };
      // It is 9 o'clock in Tokyo, and midnight in UTC.
      const { body: accepted } = await sb.app.post('/1/message', body('by day', toAda));
      assert.equal(accepted.state, 'queued', JSON.stringify(accepted));
      assert.equal((await sb.settled(accepted.id)).state, 'sent');
      const send_at = { local: '23:00', zone: 'recipient' };
      const late = { ...body('by night', toAda), send_at };
      const preview = await sb.app.post('/1/message?dry_run=true', late);
      assert.equal(preview.body.zone_source, 'contact');
      const { body: deferred } = await sb.app.post('/1/message', late);
      assert.deepEqual([deferred.state, deferred.send_at], ['scheduled', '2026-11-15T23:00:00']);
      const path = `/1/messages/${deferred.id}`;
      const change = { send_at: { local: '21:00', zone: 'recipient' } };
      assert.equal((await sb.app.put(path, change)).status, 204);
      assert.equal((await sb.app.get(path)).body.send_at, '2026-11-15T12:00:00');
      // It leaves although it is night elsewhere.
      clock.leap(12 * HOUR_MS - 2_000);
      await set(sb, { ...NIGHT, from: '11:00', until: '13:00' });
      await asTimePasses(clock, 500, 'it arrives', () => sb.peer.seen.length === 2);
      assert.deepEqual(sb.peer.seen.map(contentOf), ['by day', 'by night']);
    });

    it('in a batch, quiet hours fail the messages that they refuse, and no others', async () => {
      const { clock, sb } = await open({ ...NIGHT, action: 'refuse' });
      await using _ = sb;
      const stop = { family: 'webhook', state: 'revoked', evidence: 'asked by phone' };
      await sb.app.post('/1/consents', { ...stop, address: 'grace' });
      const toGrace = body('stopped', { to: { type: 'Person', id: 'grace' } });
      const messages = [
        body('offer'),
        { ...body('code'), category: 'verification' },
        { ...body('tonight'), send_at: '2026-11-15T23:00:00Z' },
        { ...body('tomorrow'), send_at: '2026-11-15T09:00:00Z' },
        toGrace,
      ];
      const send = () => sb.app.post('/1/messages', { messages }, KEY);
      const { status, body: answer } = await send();
      assert.equal(status, 202);
      const states = ['failed', 'queued', 'failed', 'scheduled', 'suppressed'];
      const shown = answer.data.map(({ state }: { state: string }) => state);
      assert.deepEqual(shown, states);
      const ids = answer.data.map(({ id }: { id: number }) => id);
      for (const id of [ids[0], ids[2]]) {
        const { state, error } = await sb.show(id);
        assert.deepEqual([state, error?.code], ['failed', 'quiet_hours']);
      }
      assert.equal((await sb.settled(ids[1])).state, 'sent');
      clock.leap(9 * HOUR_MS - 2_000);
      await asTimePasses(clock, 500, 'the offer of tomorrow arrives', () => {
        return sb.peer.seen.length === 2;
      });
      assert.deepEqual(sb.peer.seen.map(contentOf), ['code', 'tomorrow']);
      assert.deepEqual((await send()).body, answer, 'a repeated request gets the first answer');
      const { body: events } = await sb.app.get('/1/events');
      const failed = events.data.filter(({ type }: { type: string }) => type === 'message.failed');
      const failedIds = failed.map(({ data }: { data: { id: number } }) => data.id);
      assert.deepEqual(failedIds.toSorted(), [ids[0], ids[2]]);
    });

    it('a stop is reported before quiet hours', async () => {
      const { sb } = await open({ ...NIGHT, action: 'refuse' });
      await using _ = sb;
      const stop = { family: 'webhook', address: 'ada', state: 'revoked', evidence: 'asked' };
      await sb.app.post('/1/consents', stop);
      const single = await sb.app.post('/1/message', body('offer'));
      const preview = await sb.app.post('/1/message?dry_run=true', body('offer'));
      assert.deepEqual(
        [single.status, single.body.code, preview.body.error.code],
        [422, 'recipient_suppressed', 'recipient_suppressed'],
      );
    });

    it('quiet hours that begin later also hold messages that were already scheduled or queued', async () => {
      const { clock, sb } = await open();
      await using _ = sb;
      const at = { ...body('scheduled'), send_at: '2026-11-15T00:30:00Z' };
      const { body: scheduled } = await sb.app.post('/1/message', at);
      sb.peer.next({ status: 503 });
      const { body: queued } = await sb.app.post('/1/message', body('queued'));
      await sb.waiting(queued.id, 'retry');
      await set(sb, NIGHT);
      await sb.app.post(`/1/messages/${queued.id}/retry`);
      await sb.waiting(queued.id, 'quiet_hours');
      clock.leap(HOUR_MS / 2);
      await asTimePasses(clock, 500, 'it is deferred', async () => {
        return (await sb.show(scheduled.id)).waiting?.reason === 'quiet_hours';
      });
      assert.equal(sb.peer.seen.length, 1);
      const { body: events } = await sb.app.get('/1/events');
      const deferred = events.data.filter(
        ({ type }: { type: string }) => type === 'message.deferred',
      );
      assert.deepEqual(
        deferred.map(({ data }: { data: { id: number; send_at: string } }) => [
          data.id,
          data.send_at,
        ]),
        [
          [queued.id, END],
          [scheduled.id, END],
        ],
      );
      clock.leap(7.5 * HOUR_MS);
      await asTimePasses(clock, 500, 'both arrive', () => sb.peer.seen.length === 3);
    });

    it('invalid quiet hours are refused and change nothing', async () => {
      const { sb } = await open(NIGHT);
      await using _ = sb;
      for (const [wrong, pointer] of [
        [{ default_zone: 'Nowhere', rules: [] }, '/quiet_hours/default_zone'],
        [{ default_zone: null, rules: [NIGHT] }, '/quiet_hours/default_zone'],
        [
          { default_zone: 'UTC', rules: [{ ...NIGHT, from: '00:00', until: '00:00' }] },
          '/quiet_hours/rules',
        ],
        [{ default_zone: 'UTC', rules: [{ ...NIGHT, from: '24:00' }] }, undefined],
        [{ default_zone: 'UTC', rules: [{ ...NIGHT, action: 'skip' }] }, undefined],
        [{ rules: [] }, undefined],
      ] as const) {
        const { status, body: problem } = await sb.api.put(policies(sb), { quiet_hours: wrong });
        assert.equal(status, 422, JSON.stringify(wrong));
        if (pointer !== undefined) assert.equal(problem.errors[0].pointer, pointer);
      }
      const { body: shown } = await sb.api.get(policies(sb));
      assert.deepEqual(shown.quiet_hours, quiet(NIGHT).quiet_hours);
    });
  });
}
