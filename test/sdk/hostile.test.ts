import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Switchboard } from '../../sdk/src/index.ts';
import { openEndpoint } from '../emulators/endpoint.ts';
import type { ConnectionFault, HttpPeer } from '../emulators/server/http.ts';
import { openHttp } from '../emulators/server/http.ts';
import { drip, listenRaw } from '../emulators/server/raw.ts';
import { openProxy } from '../faults/scenarios/proxy.ts';
import { startTestService } from '../support/service/service.ts';
import { until } from '../support/until.ts';
import { applicationClient, faultOf } from './support.ts';

const token = 'fake.example.token';
const ACCEPTED = {
  id: 1,
  state: 'queued',
  created_at: '2026-11-15T09:30:00',
  integration_id: 1,
  application_id: 1,
};
const HELLO = { to: '1', text: 'Hello' };

/** A server that answers every call like an accepted message, unless the test sets another response. */
const openPeer = () => openHttp(() => ({ status: 202, body: ACCEPTED }));
const clientOf = (peer: Pick<HttpPeer, 'url'>, options = {}) =>
  new Switchboard({ url: peer.url, token, ...options });

it('the client retries a lost request with the same idempotency key and body', async () => {
  const peer = await openPeer();
  const client = clientOf(peer);
  peer.next('reset');
  peer.next('close');
  assert.equal((await client.messages.send(HELLO)).id, 1);
  const keys = peer.seen.map(({ headers }) => headers['idempotency-key']);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/);
  assert.equal(new Set(peer.seen.map(({ text }) => text)).size, 1);
  peer.next('reset');
  await client.messages.send(HELLO, { idempotencyKey: 'order-7' });
  const own = peer.seen.slice(3).map(({ headers }) => headers['idempotency-key']);
  assert.deepEqual(own, ['order-7', 'order-7']);
  await peer.close();
});

it('the client does not retry unsafe calls, and limits the retries of others', async () => {
  const peer = await openPeer();
  const client = clientOf(peer, { retries: 1 });
  for (const call of [
    () => client.messages.cancel(1),
    () => client.applications.update(1, { name: 'renamed-it' }),
    () => client.tokens.signIn({ email: 'ada@example.com', password: 'fake-password' }),
  ]) {
    const before = peer.seen.length;
    peer.next('reset');
    assert.equal((await faultOf(call())).code, 'no_answer');
    assert.equal(peer.seen.length, before + 1);
  }
  const before = peer.seen.length;
  peer.next('reset');
  peer.next('reset');
  const error = await faultOf(client.messages.send(HELLO));
  assert.deepEqual([error.code, error.status], ['no_answer', 0]);
  assert.ok(error.message.startsWith(`${peer.url} cannot be reached: `));
  assert.equal(peer.seen.length, before + 2);
  await peer.close();
});

it('the client honours Retry-After, unless it is too long', async () => {
  const peer = await openPeer();
  const client = clientOf(peer);
  const refuse = (status: number, code: string, seconds?: string) =>
    peer.next({
      status,
      headers: seconds === undefined ? {} : { 'retry-after': seconds },
      body: { code, title: 'Title', detail: 'Detail', request_id: 'r-1' },
    });
  const startedAt = performance.now();
  refuse(429, 'rate_limited', '1');
  refuse(409, 'idempotency_in_flight', '0');
  refuse(503, 'store_unavailable', new Date(0).toUTCString());
  await client.messages.send(HELLO);
  assert.ok(performance.now() - startedAt >= 1000);
  assert.equal(peer.seen.length, 4);
  for (const [status, code, seconds] of [
    [429, 'rate_limited', '3600'],
    [503, 'overloaded', undefined],
    [500, 'internal', '0'],
    [422, 'no_integration', '0'],
  ] as const) {
    const before: number = peer.seen.length;
    refuse(status, code, seconds);
    const error = await faultOf(client.messages.send(HELLO));
    assert.deepEqual([error.code, error.requestId], [code, 'r-1']);
    assert.equal(error.retryAfter, seconds === undefined ? undefined : Number(seconds));
    assert.equal(peer.seen.length, before + 1, code);
  }
  await peer.close();
});

it('the client rejects malformed responses with unexpected_answer', async () => {
  const peer = await openPeer();
  const client = clientOf(peer, { retries: 0 });
  const bodies = ['', 'null', '7', '"text"', '[]', '{', '<html>'];
  for (const body of bodies) {
    peer.next({ status: 200, body });
    const error = await faultOf(client.messages.get(1));
    assert.deepEqual([error.code, error.status], ['unexpected_answer', 200], body);
  }
  for (const body of ['{}', '{"data":7}', '{"data":null}']) {
    peer.next({ status: 200, body });
    assert.equal((await faultOf(client.messages.list().all())).code, 'unexpected_answer', body);
  }
  for (const body of ['', 'Bad gateway', '{"code":"new_code"}', '{"code":7,"errors":[null,7]}']) {
    peer.next({ status: 502, body });
    const error = await faultOf(client.messages.get(1));
    assert.deepEqual([error.code, error.status, error.errors], ['unexpected_answer', 502, []]);
  }
  peer.next({ status: 422, body: { code: 'invalid_fields', detail: 7, errors: [{}, null, 'x'] } });
  const odd = await faultOf(client.messages.get(1));
  assert.deepEqual([odd.code, odd.detail, odd.errors], ['invalid_fields', 'invalid_fields', []]);
  for (const connectionFault of ['garbage', 'html', 'empty'] satisfies ConnectionFault[]) {
    peer.next(connectionFault);
    const { code } = await faultOf(client.messages.get(1));
    assert.ok(['no_answer', 'unexpected_answer'].includes(code), connectionFault);
  }
  await peer.close();
});

it('the client follows no redirects, and sends its token to no other server', async () => {
  const other = await openPeer();
  const peer = await openPeer();
  const client = clientOf(peer, { retries: 0 });
  peer.next({ status: 301, headers: { location: `${other.url}/1/message` } });
  const error = await faultOf(client.messages.send(HELLO));
  assert.equal(error.code, 'unexpected_answer');
  assert.match(error.message, /redirects to http.*: configure the client/);
  const link = `<${other.url}/1/messages?starting_after=7&limit=1>; rel="next", <x>; rel="prev"`;
  peer.next({ status: 200, headers: { link }, body: { data: [{ id: 7 }] } });
  peer.next({ status: 200, headers: { link }, body: { data: [{ id: 6 }] } });
  const ids = (await client.messages.list({ limit: 1 }).all()).map(({ id }) => id);
  // The second page links to itself.
  assert.deepEqual(ids, [7, 6]);
  assert.equal(peer.seen.at(-1)?.path, '/1/messages?limit=1&starting_after=7');
  assert.deepEqual(other.seen, []);
  await peer.close();
  await other.close();
});

it('the timeout covers the response headers and the body', async () => {
  const endpoint = await openEndpoint(() => 'hang');
  const client = clientOf(endpoint, { timeout: 1_000, retries: 1 });
  const error = await faultOf(client.messages.send(HELLO));
  assert.deepEqual([error.code, endpoint.seen.length], ['timeout', 2]);
  assert.match(error.message, /^no answer within 1 s from http:\/\/127\.0\.0\.1:\d+ \(timeout\)$/);
  await endpoint.close();
  await using slow = await listenRaw((socket) => {
    socket.once('data', () => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\nxxxx'));
  });
  const dripping = clientOf(slow, { timeout: 300, retries: 0 });
  assert.equal((await faultOf(dripping.messages.get(1))).code, 'timeout');
});

it('an abort signal ends a call at once with its reason', async () => {
  const endpoint = await openEndpoint(() => 'hang');
  const client = clientOf(endpoint);
  const reason = new Error('no longer wanted');
  const calls: ((signal: AbortSignal) => Promise<unknown>)[] = [
    (signal) => client.messages.send(HELLO, { signal }),
    (signal) => client.messages.list({}, { signal }).all(),
    (signal) => client.messages.settled(1, { signal }),
  ];
  for (const [i, call] of calls.entries()) {
    const stopping = new AbortController();
    const stopped = assert.rejects(call(stopping.signal), reason);
    await until('the request', () => endpoint.seen.length === i + 1);
    stopping.abort(reason);
    await stopped;
  }
  endpoint.react = () => ({ status: 503, headers: { 'retry-after': '30' } });
  const stopping = new AbortController();
  const waiting = assert.rejects(client.messages.send(HELLO, { signal: stopping.signal }), reason);
  await until('the refusal', () => endpoint.seen.length === calls.length + 1);
  stopping.abort(reason);
  await waiting;
  await assert.rejects(client.users.me({ signal: AbortSignal.abort(reason) }), reason);
  assert.equal(endpoint.seen.length, calls.length + 1);
  await endpoint.close();
});

it('the feed limits its request rate if the service does not hold long polls', async () => {
  const endpoint = await openEndpoint(() => ({ status: 200, body: { data: [] } }));
  const stopping = new AbortController();
  const next = clientOf(endpoint).events({ signal: stopping.signal }).next();
  await until('the second request', () => endpoint.seen.length > 1);
  stopping.abort();
  assert.equal((await next).done, true);
  assert.equal(endpoint.seen.length, 2);
  endpoint.react = () => ({ status: 200, body: { data: [{ id: 2 }, { id: 2 }, { id: 1 }] } });
  const feed = clientOf(endpoint).events({ after: 1 });
  assert.equal((await feed.next()).value?.id, 2);
  await feed.return();
  await endpoint.close();
});

it('a call without a time limit, and a wait of months, do not end at once', async () => {
  // Node reports a timer with such a delay, which would end after a millisecond.
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => void warnings.push(name);
  process.on('warning', onWarning);
  const peer = await openPeer();
  assert.equal((await clientOf(peer, { timeout: Infinity }).messages.send(HELLO)).id, 1);
  const stopping = new AbortController();
  const { promise: retrying, resolve: onRetry } = Promise.withResolvers<unknown>();
  peer.next({
    status: 503,
    headers: { 'retry-after': '9999999' },
    body: { code: 'overloaded', title: 'Title', detail: 'Detail', request_id: 'r-1' },
  });
  const next = clientOf(peer, { retries: 0 }).events({ signal: stopping.signal, onRetry }).next();
  await retrying;
  await new Promise((resolve) => setImmediate(resolve));
  stopping.abort();
  assert.equal((await next).done, true);
  assert.deepEqual(warnings, []);
  process.off('warning', onWarning);
  await peer.close();
});

it('a message is sent once although connections to the service break', async () => {
  await using sb = await startTestService('sqlite');
  await using proxy = await openProxy(Number(new URL(sb.url).port));
  const url = `http://127.0.0.1:${proxy.port}`;
  const { client } = await applicationClient(sb, { url, retries: 10 });
  await client.integrations.create({ name: 'telegram', token: '1:fake' });
  for (const how of ['answer', 'question', 'answer'] as const) {
    proxy.cutAll(how);
    await client.messages.send({ to: '1', text: how });
  }
  assert.ok(proxy.count > 0);
  const sent = await client.messages.list().all();
  assert.deepEqual(
    sent.map(({ message }) => message.object.content),
    ['answer', 'question', 'answer'],
  );
});

it('sendAll splits large batches, and reports the messages accepted before an error', async () => {
  await using sb = await startTestService('sqlite');
  const { client } = await applicationClient(sb);
  await client.integrations.create({ name: 'telegram', token: '1:fake' });
  const many = Array.from({ length: 2_001 }, (_unused, i) => ({ to: '1', text: String(i) }));
  const accepted = await client.messages.sendAll(many, { idempotencyKey: 'all' });
  assert.equal(accepted.length, 2_001);
  assert.ok(accepted.every(({ id }, i) => i === 0 || id > (accepted[i - 1]?.id ?? 0)));
  const again = await client.messages.sendAll(many, { idempotencyKey: 'all' });
  assert.deepEqual(again, accepted);
  const large = Array.from({ length: 50 }, () => ({ to: '1', text: 'ü'.repeat(100_000) }));
  assert.equal((await client.messages.sendAll(large)).length, 50);
  const error = await faultOf(client.messages.sendAll([...many.slice(0, 1_000), { to: '' }]));
  assert.deepEqual([error.code, error.accepted.length], ['invalid_fields', 1_000]);
  assert.deepEqual(await client.messages.sendAll([]), []);
});

it('an unreachable service gives a one-line error', async () => {
  await using gone = await listenRaw((socket) => socket.destroy());
  const { url } = gone;
  await gone[Symbol.asyncDispose]();
  const error = await faultOf(new Switchboard({ url, token, retries: 0 }).users.me());
  assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/);
});
