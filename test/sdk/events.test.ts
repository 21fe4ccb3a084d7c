import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { WebSocket } from 'ws';

import { type Event, Switchboard, type SwitchboardError, reply } from '../../sdk/src/index.ts';
import { openProxy } from '../faults/scenarios/proxy.ts';
import { openChat } from '../support/service/chat.ts';
import { type TestService, startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';
import { append, applicationClient, faultOf } from './support.ts';

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_unused, i) => from + i);
const idsOf = (events: readonly Event[]) => events.map(({ id }) => id);
const portOf = ({ url }: TestService) => Number(new URL(url).port);

/** Reads events into a list until it is disposed. */
function collect(read: (signal: AbortSignal) => AsyncIterable<Event>) {
  const events: Event[] = [];
  const stopping = new AbortController();
  const ended = (async () => {
    for await (const event of read(stopping.signal)) events.push(event);
  })();
  return {
    events,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
    },
  };
}

const WAYS = ['events', 'realtime'] as const;

for (const engine of ENGINES) {
  describe(`the client's events (${engine})`, () => {
    for (const way of WAYS) {
      it(`the client's events come through ${way} from the requested position, and then as they happen`, async () => {
        await using sb = await startTestService(engine);
        const { client, applicationId } = await applicationClient(sb);
        await append(sb, applicationId, 250);
        await using reading = collect((signal) => client[way]({ after: 20, signal }));
        const { events } = reading;
        await until('all so far', () => events.length === 230);
        await append(sb, applicationId, 3);
        await until('the new events', () => events.length === 233);
        assert.deepEqual(idsOf(events), upTo(233, 21));
        assert.deepEqual(events[0], await client.event(21));
      });

      it(`the client's events come through ${way} once and in order while connections break and nodes change`, async () => {
        await using first = await startTestService(engine);
        await using second = await startTestService(engine, { database: first.database });
        await using proxy = await openProxy(portOf(first));
        const url = `http://127.0.0.1:${proxy.port}`;
        const { client, applicationId } = await applicationClient(first, { url });
        const faults: string[] = [];
        const onRetry = ({ code }: SwitchboardError) => void faults.push(code);
        await using reading = collect((signal) => client[way]({ after: 0, signal, onRetry }));
        const { events } = reading;
        await append(first, applicationId, 50);
        await until('the first', () => events.length === 50);
        proxy.leadTo(portOf(first));
        await append(first, applicationId, 50);
        await until('those after the break', () => events.length === 100);
        proxy.leadTo(portOf(second));
        await append(second, applicationId, 50);
        await until('those of the other node', () => events.length === 150);
        assert.deepEqual(idsOf(events), upTo(150));
        assert.ok(proxy.count >= 2 && faults.every((code) => code === 'no_answer'));
      });

      it(`the client's events are refused through ${way} with an invalid token`, async () => {
        await using sb = await startTestService(engine);
        const client = new Switchboard({ url: sb.url, token: 'nonsense' });
        assert.equal((await faultOf(client[way]().next())).code, 'token_invalid');
      });
    }

    it("the client's events start with the next event through realtime by default", async () => {
      await using sb = await startTestService(engine);
      const { client, applicationId } = await applicationClient(sb);
      await append(sb, applicationId, 2);
      const listening = client.realtime();
      const next = listening.next();
      await until('the client listens', () => sb.logs.some((line) => line.includes('/1/realtime')));
      await append(sb, applicationId, 1);
      assert.equal((await next).value?.id, 3);
      await listening.return();
    });

    it("the client's events can be filtered by type, and listed newest first", async () => {
      await using sb = await startTestService(engine);
      const { client, applicationId } = await applicationClient(sb);
      await append(sb, applicationId, 3);
      const { id } = await client.integrations.create({ name: 'telegram', token: '1:fake' });
      const { id: message } = await client.messages.send({ to: '1', via: id, text: 'Hello' });
      await client.messages.cancel(message);
      const types = ['message.canceled', 'message.failed'] as const;
      for (const way of WAYS) {
        const listening = client[way]({ after: 0, types });
        const { value } = await listening.next();
        assert.deepEqual([value?.id, value?.type], [4, 'message.canceled'], way);
        await listening.return();
      }
      assert.deepEqual(idsOf(await client.history({ limit: 2 }).all()), [4, 3, 2, 1]);
      assert.deepEqual(idsOf(await client.history({ types }).first(9)), [4]);
    });

    it("the client's events come through realtime in a runtime without WebSocket", async () => {
      await using sb = await startTestService(engine);
      const { client, applicationId } = await applicationClient(sb);
      const { WebSocket: own } = globalThis;
      Reflect.deleteProperty(globalThis, 'WebSocket');
      const without = new Switchboard({
        url: sb.url,
        token: await sb.applicationToken(applicationId),
      });
      Object.assign(globalThis, { WebSocket: own });
      await append(sb, applicationId, 5);
      const listening = without.realtime({ after: 3 });
      assert.deepEqual((await listening.next()).value, await client.event(4));
      await listening.return();
    });
  });
}

it('realtime closes the socket when too many events are buffered, and loses none', async () => {
  await using sb = await startTestService('sqlite');
  const sockets: WebSocket[] = [];
  class Watched extends WebSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  const { client, applicationId } = await applicationClient(sb, { WebSocket: Watched });
  await append(sb, applicationId, 3_000);
  const events: number[] = [];
  for await (const { id } of client.realtime({ after: 0 })) {
    events.push(id);
    // The first event is processed so slowly that too many are buffered behind it.
    if (id === 1) await until('the socket is closed', () => (sockets[0]?.readyState ?? 0) > 1);
    if (id === 3_000) break;
  }
  assert.deepEqual(events, upTo(3_000));
  assert.ok(sockets.length > 1);
});

it('realtime falls back to long polling when sockets are blocked', async () => {
  await using sb = await startTestService('sqlite');
  let opened = 0;
  class Refused extends WebSocket {
    constructor(_url: string) {
      // Like a proxy that does not support WebSockets.
      super(`${sb.url.replace('http', 'ws')}/1/events`);
      opened++;
    }
  }
  const { client, applicationId } = await applicationClient(sb, { WebSocket: Refused });
  await append(sb, applicationId, 2);
  const listening = client.realtime({ after: 1 });
  assert.equal((await listening.next()).value?.id, 2);
  assert.equal(opened, 3);
  await listening.return();
});

it('the client receives messages and downloads their files', async () => {
  await using chat = await openChat('sqlite');
  const client = new Switchboard({ url: chat.service.url, token: chat.app.token ?? '' });
  const guest = await chat.visit();
  const headers = { authorization: `Bearer ${guest.token}`, 'content-type': 'text/plain' };
  const path = `/chat/${chat.integrationId}/files?name=a.txt`;
  const { body } = await chat.service.as(undefined).post(path, undefined, { raw: 'abc', headers });
  await guest.say('Is anybody there?', { files: [body.id] });
  for await (const event of client.events()) {
    if (event.type !== 'message.received') continue;
    const { generator, object } = event.data;
    assert.deepEqual([generator.name, object.content], ['webmessenger', 'Is anybody there?']);
    const file = await client.download(object.attachment?.[0]?.url ?? '');
    assert.deepEqual([file.headers.get('content-type'), await file.text()], ['text/plain', 'abc']);
    await client.messages.send(reply(event, 'Yes'));
    break;
  }
  await guest.sees('Yes');
  const gone = `${chat.service.url}/1/events/999/media/0`;
  assert.equal((await faultOf(client.download(gone))).code, 'not_found');
});

it('a long poll without events is followed by the next one at once', async (t) => {
  let waitedMs = 0;
  for (const clock of [Date, performance]) {
    const now = clock.now.bind(clock);
    t.mock.method(clock, 'now', () => now() + waitedMs);
  }
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  const answers = [[], [{ id: 1 }]];
  const fetch = async () => {
    waitedMs += 30_000;
    return Response.json({ data: answers.shift() });
  };
  const client = new Switchboard({ url: 'http://localhost', token: 'token', fetch });
  assert.equal((await client.events().next()).value?.id, 1);
  await new Promise(setImmediate);
  assert.deepEqual(warnings, []);
});
