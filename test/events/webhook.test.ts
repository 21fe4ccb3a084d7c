import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';

import { Webhook } from 'standardwebhooks';

import type { WebhookDelivery } from '../../sdk/src/index.ts';
import { endpoint as webhookEndpoint } from '../../src/events/endpoint.ts';
import type { EngineName } from '../../src/store/schema.ts';
import { type Endpoint, openEndpoint } from '../emulators/endpoint.ts';
import type { Request } from '../emulators/server/http.ts';
import { TestClock } from '../support/clock.ts';
import { asTimePasses, clientOf } from '../support/service/delivery.ts';
import { feedOf } from '../support/service/feed.ts';
import { type TestService, startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Slow enough that no attempt times out before its response on a busy machine. */
const GENTLY = 20;

/** The number of failed attempts in five days. */
const FAILURES = failuresIn(5 * DAY);

/** A webhook that has received all events. */
const CALM = { reason: null, failing_since: null, last_answer: null, blocking: null, waiting: 0 };

interface World extends AsyncDisposable {
  sb: TestService;
  endpoint: Endpoint;
  path: string;
  api: TestService['api'];
  app: TestService['api'];
  /** Emits `count` events. */
  emit(count?: number): Promise<void>;
  /** The sequence numbers of the events that the endpoint accepted. */
  accepted: number[];
}

async function open(engine: EngineName, clock?: TestClock): Promise<World> {
  const accepted: number[] = [];
  const endpoint = await openEndpoint();
  const sb = await startTestService(engine, {
    environment: { SWITCHBOARD_ROLE: 'all' },
    ...(clock && { clock }),
  });
  const { application } = await sb.application({ webhook_url: `${endpoint.url}/hook` });
  const applicationId = Number(application.id);
  const accept = (request: Request) => {
    accepted.push((request.json as { id: number }).id);
    return { status: 204 };
  };
  endpoint.react = accept;
  let emitted = 0;
  return {
    sb,
    endpoint,
    accepted,
    path: `/1/applications/${applicationId}/webhook`,
    api: await clientOf(sb, 'user', sb.owner.id, clock),
    app: await clientOf(sb, 'application', applicationId, clock),
    async emit(count = 1) {
      await sb.store.events.append(
        Array.from({ length: count }, () => ({
          applicationId,
          type: 'message.sent' as const,
          data: JSON.stringify({ number: ++emitted }),
          media: null,
          createdAt: clock?.now() ?? Date.now(),
        })),
      );
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([sb[Symbol.asyncDispose](), endpoint.close()]);
    },
  };
}

function failuresIn(time: number): number {
  let failures = 0;
  for (let passed = 0; passed < time; failures++) passed += delayAfter(failures + 1) ?? time;
  return failures;
}

function delayAfter(failures: number): number | undefined {
  return webhookEndpoint.retryForever?.(failures, 0.5);
}

it('a failing endpoint is retried at least every three minutes for five days', () => {
  assert.equal(delayAfter(FAILURES + 1), undefined);
  for (let failures = 1; failures <= FAILURES; failures++) {
    for (const random of [0, 0.999]) {
      const delay = webhookEndpoint.retryForever?.(failures, random) ?? Infinity;
      assert.ok(delay >= 800 && delay < 3 * MINUTE, `${delay} after ${failures}`);
    }
  }
});

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_unused, i) => from + i);
const verify = (secret: string, { text, headers }: Request) =>
  new Webhook(secret).verify(text, headers);

for (const engine of ENGINES) {
  describe(`an application's webhook (${engine})`, () => {
    it('receives every event once, in order, with a signature that the public package verifies', async () => {
      await using world = await open(engine);
      const { api, path, emit, accepted, endpoint, app } = world;
      await emit(150);
      await until('all events', () => accepted.length === 150);
      await emit(450);
      await until('the other events', () => accepted.length === 600);
      assert.deepEqual(accepted, upTo(600));
      const webhook = await until('the last attempt is recorded', async () => {
        const { body } = await api.get(path);
        return body.waiting === 0 && body;
      });
      assert.deepEqual(
        { ...webhook, secrets: webhook.secrets.length },
        { ...CALM, url: `${endpoint.url}/hook`, state: 'enable', secrets: 1 },
      );
      const [first] = endpoint.seen;
      assert.ok(first);
      assert.deepEqual(verify(webhook.secrets[0], first), (await feedOf(app))[0]);
      assert.match(first.headers['webhook-id'] ?? '', /^evt_\d+_1$/);
      assert.throws(() =>
        verify(`whsec_${Buffer.from('fake-example-secret').toString('base64')}`, first),
      );
    });

    it('rotates its secret and signs with both for a day', async () => {
      const clock = new TestClock(Date.now());
      await using world = await open(engine, clock);
      const { api, path, emit, accepted, endpoint } = world;
      const [before] = (await api.get(path)).body.secrets;
      const { body } = await api.post(`${path}/rotate`);
      const [now, old] = body.secrets;
      assert.equal(old, before);
      assert.notEqual(now, before);
      await emit();
      await asTimePasses(clock, 1000, 'the event', () => accepted.length === 1);
      const [request] = endpoint.seen;
      assert.ok(request);
      verify(now, request);
      verify(old, request);
      clock.advance(25 * HOUR);
      await until(
        'the old secret has expired',
        async () => (await api.get(path)).body.secrets.length === 1,
      );
      assert.deepEqual((await api.get(path)).body.secrets, [now]);
    });

    it("an application's webhook is tested at once with the result", async () => {
      await using world = await open(engine);
      const { api, path, endpoint, app } = world;
      endpoint.next({ status: 500, body: 'something is broken' });
      const { body: failed } = await api.post(`${path}/test`);
      assert.deepEqual([failed.outcome, failed.status], ['transient', '500']);
      assert.match(failed.answer, /something is broken/);
      endpoint.next({ status: 200 });
      const { body: tried } = await api.post(`${path}/test`);
      assert.deepEqual([tried.outcome, tried.status], ['sent', '200']);
      const last = endpoint.seen.at(-1);
      assert.ok(last);
      const [secret] = (await api.get(path)).body.secrets;
      assert.equal((verify(secret, last) as { type: string }).type, 'webhook.test');
      for (const [name, value] of Object.entries(tried.headers)) {
        assert.equal(last.headers[name], value, name);
      }
      const hmac = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'));
      const signature = `v1,${hmac.update(tried.signed).digest('base64')}`;
      assert.equal(tried.headers['webhook-signature'], signature);
      assert.equal(tried.body, last.text);
      assert.deepEqual(await feedOf(app), []);
    });

    it("an application's webhook that was down for a day receives everything in order within five minutes of its return", async () => {
      const clock = new TestClock();
      await using world = await open(engine, clock);
      const { emit, accepted, endpoint } = world;
      const { react } = endpoint;
      endpoint.react = () => ({ status: 503 });
      await emit();
      await asTimePasses(clock, 1000, 'the first attempt', () => endpoint.seen.length > 0);
      for (let hour = 0; hour < 24; hour++) {
        await emit(10);
        const tries = endpoint.seen.length;
        clock.advance(HOUR - MINUTE);
        await asTimePasses(clock, 1000, 'another attempt', () => endpoint.seen.length > tries);
      }
      endpoint.react = react;
      const back = clock.now();
      await asTimePasses(clock, 200, 'the first', () => accepted.length > 0);
      assert.ok(clock.now() - back < 3 * MINUTE, `${(clock.now() - back) / 1000} s`);
      // On a slow machine a response may be too late, and the event is sent again.
      const received = () => [...new Set(accepted)];
      await asTimePasses(clock, GENTLY, 'everything', () => received().length === 1 + 24 * 10);
      assert.ok(clock.now() - back < 5 * MINUTE, `${(clock.now() - back) / 1000} s`);
      assert.deepEqual(received(), upTo(1 + 24 * 10));
    });

    it("an application's webhook that answers 410 is paused, emits an event, and continues when it is resumed", async () => {
      await using world = await open(engine);
      const { api, path, emit, accepted, endpoint, app } = world;
      endpoint.next({ status: 410 });
      await emit(3);
      await until('the pause', async () => (await api.get(path)).body.state === 'paused');
      const { body: paused } = await api.get(path);
      assert.match(paused.reason, /410/);
      await until('the event', async () => (await feedOf(app)).at(-1)?.type === 'webhook.paused');
      await emit(2);
      assert.deepEqual(accepted, []);
      assert.equal((await api.post(`${path}/resume`)).body.state, 'enable');
      await until('everything', () => accepted.length === 6);
      assert.deepEqual(accepted, upTo(6));
    });

    it("an application's webhook that has failed for five days is paused", async () => {
      const clock = new TestClock();
      await using world = await open(engine, clock);
      const { api, path, emit, accepted, endpoint } = world;
      const { react } = endpoint;
      endpoint.react = () => ({ status: 500 });
      await emit(2);
      await asTimePasses(clock, 1000, 'an attempt', () => endpoint.seen.length > 0);
      const isPaused = async () => (await api.get(path)).body.state === 'paused';
      assert.equal(await isPaused(), false);
      // As after that many attempts.
      await until('the recorded failure', async () => {
        const { numUpdatedRows } = await world.sb.store.engine.db
          .updateTable('outbox')
          .set({ attempts: FAILURES })
          .where('attempts', '>', 0)
          .where('state', '=', 'queued')
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      });
      await asTimePasses(clock, 1000, 'the pause', isPaused);
      endpoint.react = react;
      await api.post(`${path}/resume`);
      await asTimePasses(clock, 1000, 'everything', () => accepted.length >= 2);
      assert.deepEqual(accepted.slice(0, 2), [1, 2]);
    });

    it("an application's webhook lists its deliveries with their attempts and redelivers one on request", async () => {
      await using world = await open(engine);
      const { api, path, emit, accepted, endpoint, app } = world;
      const { react } = endpoint;
      endpoint.react = () => ({ status: 500, body: 'not yet' });
      await emit(3);
      const list = async (query: string): Promise<WebhookDelivery[]> =>
        (await api.get(`${path}/deliveries?${query}`)).body.data;
      const waiting = await until('the next attempt is scheduled', async () => {
        const found = await list('state=queued,sending');
        return found.length === 3 && typeof found[2]?.next_at === 'string' && found;
      });
      assert.deepEqual(
        [waiting[0]?.next_at, waiting[1]?.next_at],
        [null, null],
        'the others wait for it',
      );
      assert.equal((await api.get(`${path}/deliveries/${waiting[2]?.id}`)).body.event_id, 1);
      assert.deepEqual(await list('state=sent'), []);
      endpoint.react = react;
      await until('all', () => accepted.length === 3);
      const deliveries = await until('settled', async () => {
        const { body } = await api.get(`${path}/deliveries`);
        return body.data.every(({ state }: { state: string }) => state === 'sent') && body.data;
      });
      assert.deepEqual(
        deliveries.map(({ event_id }: { event_id: number }) => event_id),
        [3, 2, 1],
      );
      const first = `${path}/deliveries/${deliveries[2].id}`;
      const { body: attempts } = await api.get(`${first}/attempts`);
      assert.deepEqual(
        [attempts.data[0], attempts.data.at(-1)].map(({ outcome, status }) => [outcome, status]),
        [
          ['transient', '500'],
          ['sent', '204'],
        ],
      );
      assert.equal((await api.post(`${first}/resend`)).status, 202);
      await until('again', () => accepted.length === 4);
      assert.deepEqual(accepted, [1, 2, 3, 1]);
      const again = await until('the attempt is recorded', async () => {
        const found = await list('event_id=1&state=sent');
        return found.length === 2 && found;
      });
      assert.deepEqual(
        again.map(({ event_id, event_type, next_at }) => [event_id, event_type, next_at]),
        [
          [1, 'message.sent', null],
          [1, 'message.sent', null],
        ],
      );
      for (const nothing of ['event_id=9', 'event_id=x', 'state=lost', 'state=failed']) {
        assert.deepEqual(await list(nothing), [], nothing);
      }
      const ids = endpoint.seen.map(({ headers }) => headers['webhook-id']);
      assert.equal(ids[0], ids.at(-1), 'a receiver recognizes the event by its id');
      assert.deepEqual(
        (await app.get('/1/messages')).body.data,
        [],
        'redeliveries are not messages',
      );
    });

    it('replays all events since a time or after an event', async () => {
      const clock = new TestClock();
      await using world = await open(engine, clock);
      const { api, path, emit, accepted } = world;
      // An unrecorded attempt would be repeated once its time is up.
      const through = (count: number) =>
        asTimePasses(clock, GENTLY, `${count} events delivered`, async () => {
          if (accepted.length < count) return false;
          const { body } = await api.get(`${path}/deliveries`);
          return body.data.every(({ state }: { state: string }) => state === 'sent');
        });
      await emit(3);
      await through(3);
      clock.advance(HOUR);
      const since = new Date(clock.now()).toISOString().slice(0, 19);
      await emit(2);
      await through(5);
      await api.post(`${path}/recover`, { since });
      await through(7);
      await api.post(`${path}/recover`, { after: 1 });
      await through(11);
      assert.deepEqual(accepted, [1, 2, 3, 4, 5, 4, 5, 2, 3, 4, 5]);
      assert.equal((await api.post(`${path}/recover`, {})).status, 422);
    });

    it('keeps its position when its address changes and is removed without one', async () => {
      await using world = await open(engine);
      const { api, path, emit, accepted, endpoint } = world;
      const application = path.replace(/\/webhook$/, '');
      const [secret] = (await api.get(path)).body.secrets;
      await api.put(application, { webhook_url: `${endpoint.url}/moved` });
      await emit(1);
      await until('one', () => accepted.length === 1);
      assert.equal(endpoint.seen[0]?.path, '/moved');
      assert.deepEqual((await api.get(path)).body.secrets, [secret]);
      await api.put(application, { webhook_url: null });
      assert.deepEqual((await api.get(path)).body, {
        ...CALM,
        url: null,
        state: 'disable',
        secrets: [],
      });
      assert.equal((await api.post(`${path}/test`)).body.code, 'no_webhook');
      await emit(2);
      await api.put(application, { webhook_url: `${endpoint.url}/new` });
      await emit(1);
      await until('the events since', () => accepted.length === 2);
      assert.deepEqual(accepted, [1, 4]);
    });
  });
}
