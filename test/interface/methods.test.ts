import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';

import { startTestService } from '../support/service/service.ts';

/** Sends a request with any method; returns the status line and the Allow header. */
async function request(url: string, method: string, path: string): Promise<[number, string]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end(`${method} ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString();
  const [, status = ''] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
  const [, allow = ''] = /\r\nallow: ([^\r]*)/i.exec(text) ?? [];
  return [Number(status), allow];
}

it('answers unsupported methods with 405 and the supported ones', async () => {
  await using sb = await startTestService('sqlite');
  for (const method of ['QUERY', 'PROPFIND', 'FROBNICATE', 'PATCH', 'TRACE']) {
    assert.deepEqual(await request(sb.url, method, '/1/message'), [405, 'POST'], method);
    assert.deepEqual(await request(sb.url, method, '/1/messages?limit=1'), [
      405,
      'POST, GET, HEAD',
    ]);
    assert.deepEqual(await request(sb.url, method, '/1/nothing'), [404, ''], method);
  }
});

it('allows on an exact path no method of a parameterized one', async () => {
  await using sb = await startTestService('sqlite');
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'QUERY']) {
    assert.deepEqual(await request(sb.url, method, '/1/users/me'), [405, 'GET, HEAD'], method);
    assert.deepEqual(await request(sb.url, method, '/1/users/me/'), [405, 'GET, HEAD'], method);
    assert.deepEqual(
      await request(sb.url, method, '/1/applications/me'),
      [405, 'GET, HEAD'],
      method,
    );
  }
  assert.deepEqual(await request(sb.url, 'GET', '/1/messages/resend'), [405, 'POST']);
  assert.deepEqual(await request(sb.url, 'PATCH', '/1/users/7'), [405, 'GET, HEAD, PUT, DELETE']);
});

it('refuses an invalid request line with 400', async () => {
  await using sb = await startTestService('sqlite');
  assert.equal((await request(sb.url, 'FROB NICATE', '/1/message'))[0], 400);
  assert.equal((await request(sb.url, '\u0001', '/1/message'))[0], 400);
});
