import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Job } from '../../sdk/src/index.ts';
import { type Endpoint, contentOf } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { Running } from '../support/programs/command.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import {
  type DeliveryService,
  asTimePasses,
  openWebhookDelivery,
} from '../support/service/delivery.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const BATCH_SIZE = 50;

/** Messages to two recipients alternately. */
async function sendMany(app: Client, count: number, change = {}): Promise<number[]> {
  const messages = Array.from({ length: count }, (_, i) => {
    const to = { type: 'Person', id: i % 2 === 0 ? 'ada' : 'charles' };
    return message({ to, object: { type: 'Note', content: String(i) }, ...change }).message;
  });
  const { body } = await app.post('/1/messages', { messages });
  return body.data.map(({ id }: { id: number }) => id);
}

/** The same messages, which the channel refuses. */
async function failMany(sb: DeliveryService<Endpoint>, count: number, pass = () => {}) {
  sb.peer.react = () => ({ status: 400 });
  const ids = await sendMany(sb.app, count);
  await until('all messages fail', async () => {
    const { body } = await sb.app.get('/1/messages?state=failed&limit=1000');
    pass();
    return body.data.length === count;
  });
  sb.peer.react = () => ({ status: 204 });
  return ids;
}

async function begin(app: Client, filter: Record<string, unknown>): Promise<Job> {
  const { status, body, headers } = await app.post('/1/messages/resend', { filter });
  assert.equal(status, 202);
  assert.equal(headers.get('location'), `/1/jobs/${body.id}`);
  return body;
}

/** The finished job. */
const finished = (app: Client, job: Job): Promise<Job> =>
  until('the end of the job', async () => {
    const found = await show(app, job);
    return found.finished_at !== null && found;
  });

const show = async (app: Client, { id }: Job): Promise<Job> =>
  (await app.get(`/1/jobs/${id}`)).body;

for (const engine of ENGINES) {
  describe(`bulk resending (${engine})`, () => {
    it('resends the messages of a filter in their order and reports its progress', async () => {
      await using sb = await openWebhookDelivery(engine);
      const { app, integrationId } = sb;
      const count = BATCH_SIZE * 2 + 10;
      const ids = await failMany(sb, count);
      assert.equal((await sb.settled(await sb.send('well', 'grace'))).state, 'sent');
      const before = sb.peer.seen.length;

      const filter = { state: 'failed,canceled', integration_id: integrationId };
      const dry = await app.post('/1/messages/resend?dry_run=true', { filter });
      assert.deepEqual(dry.body, { total: count, states: { failed: count }, is_more: false });
      const job = await begin(app, filter);
      assert.deepEqual(job.filter, filter);
      const over = await finished(app, job);
      assert.deepEqual(
        [over.state, over.total, over.done, over.skipped],
        ['done', count, count, { no_integration: 0, changed: 0 }],
      );
      for (const id of ids) assert.equal((await sb.settled(id)).state, 'sent');
      const seen = sb.peer.seen.slice(before).map((request) => Number(contentOf(request)));
      assert.equal(seen.length, count, 'each message once');
      for (const rest of [0, 1]) {
        const own = seen.filter((number) => number % 2 === rest);
        assert.deepEqual(
          own,
          own.toSorted((a, b) => a - b),
        );
      }
    });

    it('bulk resending continues after a crash', async () => {
      // This node only serves requests and does none of the work.
      await using sb = await startTestService(engine);
      const { folder, environment: settings } = sb.database;
      const environment = { ...settings, SWITCHBOARD_PORT: '0', SWITCHBOARD_ALLOW_LOOPBACK: 'on' };
      const deliver = () => new Running(['serve', '--role', 'deliver'], folder, { environment });
      const { application, app } = await sb.application();
      const address = 'https://example.com/hook';
      const { id } = await integrate(app, application.id, { name: 'webhook', address });
      // Enough batches that it is killed between two, even if this process has to wait for the processor.
      const count = BATCH_SIZE * 12;
      await sendMany(app, count, { endTime: new Date().toISOString() });
      await until('all messages expire', async () => {
        const { body } = await app.get('/1/messages?state=expired&limit=1000');
        return body.data.length === count;
      });
      // Nothing is sent: each message must be queued again and counted once.
      await app.delete(`/1/integrations/${id}/disable`);
      const job = await begin(app, {});
      await using first = deliver();
      const before = await until('some messages are queued', async () => {
        const found = await show(app, job);
        return found.done > 0 && found;
      });
      first.kill('SIGKILL');
      await first.exited;
      const left = await show(app, job);
      assert.equal(left.finished_at, null, `killed in the middle, after ${before.done}`);
      await using _second = deliver();
      const over = await finished(app, job);
      assert.deepEqual([over.state, over.total, over.done], ['done', count, count]);
      const { body: still } = await app.get('/1/messages?state=expired');
      assert.deepEqual(still.data, []);
    });

    it('bulk resending stops when it is canceled and never starts again', async () => {
      const clock = new TestClock();
      await using sb = await openWebhookDelivery(engine, { clock });
      const { app, api, applicationId, integrationId } = sb;
      const person = api.with({ 'switchboard-application': String(applicationId) });
      // A node's lease expires by the database clock too.
      await failMany(sb, BATCH_SIZE * 2, () => clock.advance(1000));
      await app.delete(`/1/integrations/${integrationId}/disable`);
      const job = await begin(app, { to: 'ada' });
      const all = await begin(app, { to: 'charles' });
      await asTimePasses(
        clock,
        10,
        'the count',
        async () => (await show(app, job)).state === 'running',
      );
      await person.delete(`/1/jobs/${job.id}`);
      const stopped = await show(app, job);
      assert.deepEqual([stopped.state, stopped.total, stopped.done], ['canceled', BATCH_SIZE, 0]);
      await asTimePasses(
        clock,
        50,
        'the other',
        async () => (await show(app, all)).state === 'done',
      );
      assert.deepEqual(await show(app, job), stopped);
      assert.equal(
        (await person.delete(`/1/jobs/${job.id}`)).status,
        204,
        'canceling twice succeeds',
      );
      assert.equal((await person.delete(`/1/jobs/${all.id}`)).status, 204);
      const { body: audit } = await api.get('/1/audit?action=message.canceled');
      assert.deepEqual(
        audit.data.map(({ subject }: { subject: unknown }) => subject),
        [{ type: 'job', id: job.id, name: null }],
      );
      assert.equal((await show(app, all)).state, 'done');
      const { body: queued } = await app.get('/1/messages?state=queued&limit=1000');
      assert.deepEqual(
        new Set(queued.data.map(({ to }: { to: string }) => to)),
        new Set(['charles']),
      );
      const { body: listed } = await app.get('/1/jobs');
      assert.deepEqual(
        listed.data.map(({ id }: Job) => id),
        [all.id, job.id],
      );
    });

    it('skips messages whose integration is deleted and reports them', async () => {
      await using sb = await openWebhookDelivery(engine);
      const { app, integrationId } = sb;
      await failMany(sb, 3);
      await app.delete(`/1/integrations/${integrationId}`);
      const job = await begin(app, { state: 'failed' });
      const over = await finished(app, job);
      assert.deepEqual([over.total, over.done, over.skipped.no_integration], [3, 0, 3]);
    });

    it('refuses invalid filters and those of another application', async () => {
      await using sb = await startTestService(engine);
      const { app } = await sb.application();
      const wrong: [Record<string, unknown>, string][] = [
        [{ sate: 'failed' }, '/filter/sate'],
        [{ state: 'sent' }, '/filter/state'],
        [{ state: 'failed,lost' }, '/filter/state'],
        [{ channel: 'pigeon' }, '/filter/channel'],
        [{ id: 'x' }, '/filter/id'],
        [{ to: '\0' }, '/filter/to'],
        [{ created_after: 'yesterday' }, '/filter/created_after'],
        [{ created_before: '2026-02-30' }, '/filter/created_before'],
      ];
      for (const [filter, pointer] of wrong) {
        const { status, body } = await app.post('/1/messages/resend', { filter });
        assert.deepEqual([status, body.code], [422, 'invalid_fields'], pointer);
        assert.deepEqual(
          body.errors.map((one: { pointer: string }) => one.pointer),
          [pointer],
        );
      }
      assert.equal((await app.post('/1/messages/resend', {})).status, 422);
      assert.deepEqual((await app.get('/1/jobs')).body.data, []);

      const key = { 'idempotency-key': 'once' };
      const post = () => app.post('/1/messages/resend', { filter: {} }, { headers: key });
      const { body: job } = await post();
      assert.equal((await post()).body.id, job.id);
      const { app: stranger } = await sb.application();
      assert.equal((await stranger.get(`/1/jobs/${job.id}`)).status, 404);
      assert.equal((await stranger.delete(`/1/jobs/${job.id}`)).status, 404);
      assert.deepEqual((await stranger.get('/1/jobs')).body.data, []);
      assert.equal((await show(app, job)).state, 'counting');

      for (let i = 1; i < 10; i++) await begin(app, {});
      const { status, body } = await app.post('/1/messages/resend', { filter: {} });
      assert.deepEqual([status, body.code], [409, 'too_many_jobs']);
      await app.delete(`/1/jobs/${job.id}`);
      await begin(app, {});
    });
  });
}
