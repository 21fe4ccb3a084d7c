import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';

import { WebSocket } from 'ws';

import { MAX_FEED_SOCKETS } from '../../src/events/sockets.ts';
import { TestClock } from '../support/clock.ts';
import { clientOf } from '../support/service/delivery.ts';
import { type ShownEvent, feedOf } from '../support/service/feed.ts';
import { type TestService, startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/** A consumer and its received events. */
async function listen(url: string): Promise<{ socket: WebSocket; events: ShownEvent[] }> {
  const socket = new WebSocket(url);
  const events: ShownEvent[] = [];
  socket.on('message', (data: Buffer) => events.push(JSON.parse(data.toString()) as ShownEvent));
  await once(socket, 'open');
  return { socket, events };
}

async function refusal(url: string): Promise<number | undefined> {
  const socket = new WebSocket(url);
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  response.resume();
  return response.statusCode;
}

const handshake = (path: string) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: ZmFrZS1leGFtcGxlLWtleQ==',
    '\r\n',
  ].join('\r\n');

const append = (sb: TestService, applicationId: number, count = 1, size = 0) =>
  sb.store.events.append(
    Array.from({ length: count }, () => ({
      applicationId,
      type: 'message.sent' as const,
      data: JSON.stringify({ text: 'x'.repeat(size) }),
      media: null,
      createdAt: Date.now(),
    })),
  );
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_unused, i) => from + i);

for (const engine of ENGINES) {
  describe(`the event socket (${engine})`, () => {
    it('streams events: received messages bare, all others in an envelope', async () => {
      await using sb = await startTestService(engine);
      const { application, app } = await sb.application();
      const applicationId = Number(application.id);
      await append(sb, applicationId, 2);
      const { body } = await app.get('/1/realtime');
      const { socket, events } = await listen(body.url);
      await append(sb, applicationId);
      await sb.store.events.append([
        {
          applicationId,
          type: 'message.received',
          data: '{"type":"Create"}',
          media: null,
          createdAt: Date.now(),
        },
      ]);
      await until('two events', () => events.length === 2);
      assert.deepEqual(events, [
        (await feedOf(app))[2],
        { id: `${sb.url}/1/events/4`, type: 'Create' },
      ]);
      socket.close();
      const { url } = (await app.get('/1/realtime')).body;
      const enveloped = await listen(`${url}?after=2&envelopes=true`);
      await until('both events again', () => enveloped.events.length === 2);
      assert.deepEqual(enveloped.events, await feedOf(app, 2));
      enveloped.socket.close();
    });

    it("reports the feed's end, so that a consumer that continues from there misses nothing", async () => {
      await using sb = await startTestService(engine);
      const { application, app } = await sb.application();
      const applicationId = Number(application.id);
      assert.equal((await app.get('/1/realtime')).body.last, 0);
      await append(sb, applicationId, 3);
      const { url, last } = (await app.get('/1/realtime')).body;
      assert.equal(last, 3);
      await append(sb, applicationId);
      const { socket, events } = await listen(`${url}?after=${last}`);
      await until('the events in between', () => events.length === 1);
      assert.equal(events[0]?.id, 4);
      socket.close();
    });

    it('the event socket resumes from a cursor on any node in feed order', async () => {
      await using one = await startTestService(engine);
      await using two = await startTestService(engine, { database: one.database });
      const { application, app } = await one.application();
      const applicationId = Number(application.id);
      const address = async (service: TestService, after: number) => {
        const { url } = (await service.as(app.token).get('/1/realtime')).body;
        return `${url}?after=${after}`;
      };
      await append(one, applicationId, 500);
      const first = await listen(await address(one, 0));
      await until('the first events', () => first.events.length >= 100);
      first.socket.terminate();
      const seen = first.events.map(({ id }) => id);
      await append(one, applicationId, 100);
      // A ticket from one node opens a socket on another.
      const ticket = await address(one, seen.at(-1) ?? 0);
      const second = await listen(ticket.replace(new URL(one.url).host, new URL(two.url).host));
      await append(two, applicationId, 100);
      await until('all events', () => seen.length + second.events.length === 700);
      assert.deepEqual([...seen, ...second.events.map(({ id }) => id)], upTo(700));
      second.socket.close();
    });

    it('the event socket opens only with a ticket, valid for 30 seconds', async () => {
      const clock = new TestClock();
      await using sb = await startTestService(engine, { clock });
      const { application } = await sb.application();
      const app = await clientOf(sb, 'application', application.id, clock);
      const address = async (): Promise<string> => (await app.get('/1/realtime')).body.url;
      const url = await address();
      const late = await address();
      clock.advance(29_000);
      for (const after of ['all', '1.5', '9'.repeat(20)]) {
        assert.equal(await refusal(`${url}?after=${after}`), 400, after);
      }
      (await listen(url)).socket.close();
      for (const after of ['', '-1', '9007199254740993']) {
        (await listen(`${await address()}?after=${after}`)).socket.close();
      }
      clock.advance(2000);
      assert.equal(await refusal(late), 401);
      const base = sb.url.replace('http', 'ws');
      assert.equal(await refusal(`${base}/1/realtime/${app.token}`), 401);
      assert.equal(await refusal(`${base}/1/realtime/nonsense`), 401);
      assert.equal(await refusal(`${base}/1/events`), 404);
      const { app: off, application: disabled } = await sb.application();
      await sb.api.delete(`/1/applications/${disabled.id}/disable`);
      assert.equal((await off.get('/1/realtime')).status, 403);
    });

    it('accepts a ticket once, on any node', async () => {
      await using one = await startTestService(engine);
      await using two = await startTestService(engine, { database: one.database });
      const { app } = await one.application();
      const { url } = (await app.get('/1/realtime')).body;
      const elsewhere = url.replace(new URL(one.url).host, new URL(two.url).host);
      const { socket } = await listen(url);
      assert.equal(await refusal(url), 401);
      assert.equal(await refusal(elsewhere), 401);
      socket.close();
      // One of several concurrent attempts succeeds.
      const next = (await app.get('/1/realtime')).body.url;
      const sockets = Array.from({ length: 5 }, () => new WebSocket(next));
      const outcomes = await Promise.all(
        sockets.map(async (each) => {
          each.on('error', () => {});
          return Promise.race([
            once(each, 'open').then(() => 'open'),
            once(each, 'unexpected-response').then(([, { statusCode }]) => statusCode as number),
          ]);
        }),
      );
      assert.deepEqual(outcomes.toSorted(), [401, 401, 401, 401, 'open']);
      for (const each of sockets) each.terminate();
    });

    it('the event socket is limited to a hundred per application', async () => {
      await using sb = await startTestService(engine);
      const { app } = await sb.application();
      const { app: other } = await sb.application();
      const open = async (client: typeof app) => listen((await client.get('/1/realtime')).body.url);
      const all = await Promise.all(
        Array.from({ length: MAX_FEED_SOCKETS.perOwner }, () => open(app)),
      );
      assert.equal(await refusal((await app.get('/1/realtime')).body.url), 429);
      (await open(other)).socket.close();
      all[0]?.socket.terminate();
      await until('a slot is free again', async () => {
        const socket = new WebSocket((await app.get('/1/realtime')).body.url);
        socket.on('error', () => {});
        const opened = once(socket, 'open').then(() => true);
        const refused = once(socket, 'unexpected-response').then(() => false);
        return Promise.race([opened, refused]);
      });
      for (const { socket } of all) socket.terminate();
    });

    it('the event socket closes within a second after its key is revoked, even without events', async () => {
      const clock = new TestClock();
      await using sb = await startTestService(engine, { clock });
      const { application } = await sb.application();
      const app = await clientOf(sb, 'application', Number(application.id), clock);
      const other = await clientOf(sb, 'application', Number(application.id), clock);
      const api = await clientOf(sb, 'user', sb.owner.id, clock);
      const { socket } = await listen((await app.get('/1/realtime')).body.url);
      const { socket: kept } = await listen((await other.get('/1/realtime')).body.url);
      const closed = once(socket, 'close');
      const { iss } = JSON.parse(atob(app.token?.split('.')[1] ?? '')) as { iss: string };
      assert.equal((await api.delete(`/1/keys/applications/${iss}`)).status, 204);
      clock.advance(1000);
      assert.equal((await closed)[0], 1008);
      assert.equal(kept.readyState, WebSocket.OPEN);
      kept.close();
    });

    it('the event socket closes for a consumer that does not read, which loses no events', async () => {
      await using sb = await startTestService(engine);
      const { application, app } = await sb.application();
      const applicationId = Number(application.id);
      await append(sb, applicationId, 60, 200_000);
      const { url } = (await app.get('/1/realtime')).body;
      const { port, pathname } = new URL(url);
      // It requests everything and then reads nothing.
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(handshake(`${pathname}?after=0`));
      await once(socket, 'connect');
      await new Promise<void>((resolve) => {
        socket.once('readable', resolve);
      });
      socket.pause();
      await until(
        'it is sent away',
        () => sb.logs.some((line) => line.includes('client too slow')),
        30_000,
      );
      socket.destroy();
      const next = (await app.get('/1/realtime')).body;
      const { events, socket: quick } = await listen(`${next.url}?after=0`);
      await until('all events', () => events.length === 60);
      assert.deepEqual(
        events.map(({ id }) => id),
        upTo(60),
      );
      quick.close();
    });

    it('sends nothing after the key that opened it is revoked', async () => {
      const clock = new TestClock();
      await using sb = await startTestService(engine, { clock });
      const { application } = await sb.application();
      const applicationId = Number(application.id);
      const app = await clientOf(sb, 'application', applicationId, clock);
      const api = await clientOf(sb, 'user', sb.owner.id, clock);
      const { socket, events } = await listen((await app.get('/1/realtime')).body.url);
      await append(sb, applicationId);
      await until('an event', () => {
        clock.advance(500);
        return events.length === 1;
      });
      const closed = once(socket, 'close');
      const { iss } = JSON.parse(atob(app.token?.split('.')[1] ?? '')) as { iss: string };
      assert.equal((await api.delete(`/1/keys/applications/${iss}`)).status, 204);
      clock.advance(1000);
      await append(sb, applicationId);
      await until('the socket closed', () => {
        clock.advance(500);
        return socket.readyState === WebSocket.CLOSED;
      });
      assert.equal((await closed)[0], 1008);
      assert.equal(events.length, 1);
    });

    it('sends no queries after the service stops', async () => {
      const sb = await startTestService(engine);
      const { app } = await sb.application();
      const { url } = (await app.get('/1/realtime')).body;
      const { port, pathname } = new URL(url);
      // It reads everything and never closes.
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(handshake(pathname));
      await once(socket, 'data');
      let queryCount = 0;
      const { events } = sb.store;
      const next = events.next.bind(events);
      events.next = (...given) => {
        queryCount++;
        return next(...given);
      };
      const closed = once(socket, 'close');
      await sb[Symbol.asyncDispose]();
      await closed;
      assert.ok(queryCount <= 1, `${queryCount} times`);
    });

    it('the event socket closes when the service stops and when the application is disabled', async () => {
      const clock = new TestClock();
      const sb = await startTestService(engine, { clock });
      const { application } = await sb.application();
      const app = await clientOf(sb, 'application', application.id, clock);
      const api = await clientOf(sb, 'user', sb.owner.id, clock);
      const open = async () => listen((await app.get('/1/realtime')).body.url);
      const [one, two] = [await open(), await open()];
      await api.delete(`/1/applications/${application.id}/disable`);
      const closed = once(one.socket, 'close');
      await until('the socket closed', () => {
        clock.advance(31_000);
        return one.socket.readyState === WebSocket.CLOSED;
      });
      assert.equal((await closed)[0], 1008);
      await api.put(`/1/applications/${application.id}`, { state: 'enable' });
      two.socket.terminate();
      const three = await open();
      const stopped = once(three.socket, 'close');
      await sb[Symbol.asyncDispose]();
      assert.equal((await stopped)[0], 1001);
    });
  });
}
