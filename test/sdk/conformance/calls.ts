import assert from 'node:assert/strict';

import { openEndpoint } from '../../emulators/endpoint.ts';
import type { HttpPeer } from '../../emulators/server/http.ts';
import { openHttp } from '../../emulators/server/http.ts';
import { drip, listenRaw } from '../../emulators/server/raw.ts';
import type { Case } from './cases.ts';
import type { Driver, Given } from './driver.ts';

/* How a client treats a server that is slow, broken or not Switchboard. */

const TOKEN = 'fake.example.token';
const HELLO = { to: '1', text: 'Hello' };
const ACCEPTED = {
  id: 1,
  state: 'queued',
  created_at: '2026-11-15T09:30:00',
  integration_id: 1,
  application_id: 1,
};

/** A server that answers every call like an accepted message, unless the test sets another response. */
async function withPeer(
  driver: Driver,
  settings: Partial<Given>,
  run: (peer: HttpPeer) => Promise<void>,
): Promise<void> {
  const peer = await openHttp(() => ({ status: 202, body: ACCEPTED }));
  try {
    await driver.ask('open', { url: peer.url, token: TOKEN, ...settings });
    await run(peer);
  } finally {
    await peer.close();
  }
}

const fails = async (driver: Driver, op: string, given: Partial<Given> = {}) => {
  const { error } = await driver.ask(op, given);
  assert.ok(error, `${op} succeeded`);
  return error;
};

export const CALL_CASES: readonly Case[] = [
  [
    'retries a lost request with the same idempotency key and body',
    (driver) =>
      withPeer(driver, {}, async (peer) => {
        peer.next('reset');
        peer.next('close');
        const { value } = await driver.ask('send', { message: HELLO });
        assert.deepEqual(value, ACCEPTED);
        const keys = peer.seen.map(({ headers }) => headers['idempotency-key'] ?? '');
        assert.equal(keys.length, 3);
        assert.equal(new Set(keys).size, 1);
        assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/);
        assert.equal(new Set(peer.seen.map(({ text }) => text)).size, 1);
        await driver.ask('send', { message: HELLO, idempotency_key: 'order-7' });
        assert.equal(peer.seen[3]?.headers['idempotency-key'], 'order-7');
      }),
  ],
  [
    'does not retry unsafe calls, and limits the retries of others',
    (driver) =>
      withPeer(driver, { retries: 1 }, async (peer) => {
        for (const [op, given] of [
          ['cancel', { id: 1 }],
          ['rename', { id: 1, name: 'renamed-it' }],
          ['sign_in', { email: 'ada@example.com', password: 'fake-password' }],
        ] as const) {
          const before = peer.seen.length;
          peer.next('reset');
          assert.equal((await fails(driver, op, given)).code, 'no_answer');
          assert.equal(peer.seen.length, before + 1, op);
        }
        const before = peer.seen.length;
        peer.next('reset');
        peer.next('reset');
        const { code, status, text } = await fails(driver, 'send', { message: HELLO });
        assert.deepEqual([code, status], ['no_answer', 0]);
        assert.ok(text.startsWith(`${peer.url} `) && !text.includes('\n'), text);
        assert.equal(peer.seen.length, before + 2);
      }),
  ],
  [
    'honours Retry-After, unless it is too long',
    (driver) =>
      withPeer(driver, {}, async (peer) => {
        const refuse = (status: number, code: string, seconds?: string) =>
          peer.next({
            status,
            headers: seconds === undefined ? {} : { 'retry-after': seconds },
            body: { code, title: 'Title', detail: 'Detail', request_id: 'r-1' },
          });
        refuse(409, 'idempotency_in_flight', '0');
        refuse(503, 'store_unavailable', new Date(0).toUTCString());
        assert.ok((await driver.ask('send', { message: HELLO })).value);
        assert.equal(peer.seen.length, 3);
        for (const [status, code, seconds] of [
          [429, 'rate_limited', '3600'],
          [503, 'overloaded', undefined],
          [500, 'internal', '0'],
          [422, 'no_integration', '0'],
        ] as const) {
          const before: number = peer.seen.length;
          refuse(status, code, seconds);
          const error = await fails(driver, 'send', { message: HELLO });
          assert.deepEqual([error.code, error.requestId], [code, 'r-1']);
          assert.equal(error.retryAfter, seconds === undefined ? null : Number(seconds));
          assert.equal(peer.seen.length, before + 1, code);
        }
      }),
  ],
  [
    'reports responses that are not from Switchboard',
    (driver) =>
      withPeer(driver, { retries: 0 }, async (peer) => {
        for (const body of ['', 'null', '7', '"text"', '[]', '{', '<html>']) {
          peer.next({ status: 200, body });
          const { code, status } = await fails(driver, 'get', { id: 1 });
          assert.deepEqual([code, status], ['unexpected_answer', 200], body);
        }
        for (const body of ['{}', '{"data":7}', '{"data":null}']) {
          peer.next({ status: 200, body });
          assert.equal((await fails(driver, 'list')).code, 'unexpected_answer', body);
        }
        for (const body of ['', 'Bad gateway', '{"code":"new_code"}', '{"code":7}']) {
          peer.next({ status: 502, body });
          const { code, status, errors } = await fails(driver, 'get', { id: 1 });
          assert.deepEqual([code, status, errors], ['unexpected_answer', 502, []]);
        }
        peer.next({
          status: 422,
          body: { code: 'invalid_fields', detail: 7, errors: [{}, null, 'x'] },
        });
        const odd = await fails(driver, 'get', { id: 1 });
        assert.deepEqual(
          [odd.code, odd.detail, odd.errors],
          ['invalid_fields', 'invalid_fields', []],
        );
        for (const fault of ['garbage', 'html', 'empty'] as const) {
          peer.next(fault);
          const { code } = await fails(driver, 'get', { id: 1 });
          assert.ok(code === 'no_answer' || code === 'unexpected_answer', fault);
        }
      }),
  ],
  [
    'follows no redirects, and sends its token to no other server',
    (driver) =>
      withPeer(driver, { retries: 0 }, async (peer) => {
        const other = await openHttp(() => ({ status: 200, body: { data: [] } }));
        peer.next({ status: 301, headers: { location: `${other.url}/1/message` } });
        const error = await fails(driver, 'send', { message: HELLO });
        assert.equal(error.code, 'unexpected_answer');
        const link = `<${other.url}/1/messages?starting_after=7&limit=1>; rel="next", <x>; rel="prev"`;
        peer.next({ status: 200, headers: { link }, body: { data: [{ id: 7 }] } });
        peer.next({ status: 200, headers: { link }, body: { data: [{ id: 6 }] } });
        // The second page links to itself.
        assert.deepEqual((await driver.ask('list', { limit: 1 })).value, [{ id: 7 }, { id: 6 }]);
        assert.match(peer.seen.at(-1)?.path ?? '', /\?limit=1&starting_after=7$/);
        assert.deepEqual(other.seen, []);
        await other.close();
      }),
  ],
  [
    'limits the time of a whole attempt, headers and body',
    async (driver) => {
      const endpoint = await openEndpoint(() => 'hang');
      await driver.ask('open', { url: endpoint.url, token: TOKEN, timeout: 1, retries: 1 });
      const { code } = await fails(driver, 'send', { message: HELLO });
      assert.deepEqual([code, endpoint.seen.length], ['timeout', 2]);
      await endpoint.close();
      for (const bytes of [
        'HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\nxxxx',
        `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(9_999)}`,
      ]) {
        await using slow = await listenRaw((socket) => {
          socket.once('data', () => drip(socket, bytes));
        });
        await driver.ask('open', { url: slow.url, token: TOKEN, timeout: 0.3, retries: 0 });
        assert.equal((await fails(driver, 'get', { id: 1 })).code, 'timeout');
      }
    },
  ],
  [
    'gives a one-line error for an unreachable service',
    async (driver) => {
      await using gone = await listenRaw((socket) => socket.destroy());
      const { url } = gone;
      await gone[Symbol.asyncDispose]();
      await driver.ask('open', { url, token: TOKEN, retries: 0 });
      const { code, text } = await fails(driver, 'user');
      assert.equal(code, 'no_answer');
      assert.ok(text.startsWith(`${url} cannot be reached: `) && !text.includes('\n'), text);
    },
  ],
  [
    'refuses invalid settings',
    async (driver) => {
      const url = 'http://localhost:8080';
      const key = { id: 1, secret: 'fake-secret' };
      for (const settings of [
        { url, token: 'a', key },
        { url, token: ' ' },
        { url, key: { ...key, secret: '' } },
        ...['', 'localhost:8080', 'ftp://example.com', 'http://'].map((bad) => ({ url: bad })),
      ]) {
        assert.equal((await fails(driver, 'open', settings)).kind, 'usage');
      }
    },
  ],
];
