import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { BlockList, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';

import { listenRaw, onRequest, whenClosed } from '../../../test/emulators/server/raw.ts';
import { createGuard } from '../net/address-guard.ts';
import { VERSION } from '../runtime/version.ts';
import { type HttpClientOptions, createHttpClient } from './client.ts';
import type { FetchRequest } from './fetch.ts';

const guard = createGuard({ allow: new BlockList(), allowLoopback: true });

function openNetwork(options: Partial<HttpClientOptions> = {}) {
  const network = createHttpClient({ guard, ...options });
  const { signal } = new AbortController();
  return {
    fetch: (url: string, request?: FetchRequest) => network.fetch(url, request, { signal }),
    [Symbol.asyncDispose]: () => network.close(),
  };
}

/** A server in its own thread that responds once the first thread stores 1. */
const HELD_SERVER = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer((_, response) => {
    parentPort.postMessage('requested');
    Atomics.wait(workerData, 0, 0);
    response.end();
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

const answering = (...parts: (string | Uint8Array)[]) =>
  listenRaw((socket) =>
    onRequest(socket, () => {
      for (const part of parts) socket.write(part);
    }),
  );

describe('request', () => {
  it('request is sent as given and returns status, headers and text', async () => {
    let seen = '';
    await using server = await listenRaw((socket) =>
      onRequest(socket, (request) => {
        seen = request;
        socket.write('HTTP/1.1 201 Created\r\nX-One: a\r\nX-One: b\r\n');
        socket.write('Content-Type: text/plain; charset=utf-8\r\ncontent-length: 5\r\n\r\n');
        socket.write(Buffer.from('né€'.slice(0, 3)).subarray(0, 5));
      }),
    );
    await using network = openNetwork();
    const { status, text, truncated, header, json } = await network.fetch(
      `${server.url}/a%20b/c?d=e&f=%C3%A9#g`,
      { method: 'PUT', headers: { 'X-Two': 'zwei é' }, body: '{"é":1}' },
    );
    const [head = '', body] = seen.split('\r\n\r\n');
    const [first, ...lines] = head.split('\r\n');
    assert.equal(first, 'PUT /a%20b/c?d=e&f=%C3%A9 HTTP/1.1');
    assert.equal(body, Buffer.from('{"é":1}').toString('latin1'));
    assert.deepEqual(lines.toSorted(), [
      'accept-encoding: identity',
      'connection: keep-alive',
      'content-length: 8',
      `host: 127.0.0.1:${server.port}`,
      `user-agent: Switchboard/${VERSION}`,
      'x-two: zwei é',
    ]);
    assert.deepEqual({ status, truncated }, { status: 201, truncated: false });
    assert.equal(text, 'né�');
    assert.equal(header('x-ONE'), 'a');
    assert.equal(header('content-type'), 'text/plain; charset=utf-8');
    assert.equal(header('x-three'), undefined);
    assert.equal(json(), undefined);
  });

  it('request is a GET without a body by default', async () => {
    let seen = '';
    await using server = await listenRaw((socket) =>
      onRequest(socket, (request) => {
        seen = request;
        socket.end('HTTP/1.1 200 OK\r\n\r\n{"id":9007199254740993,"name":"x"}');
      }),
    );
    await using network = openNetwork();
    const answer = await network.fetch(server.url);
    assert.match(seen, /^GET \/ HTTP\/1\.1\r\n/);
    assert.doesNotMatch(seen, /content-length/);
    // Large integers keep all digits.
    assert.deepEqual(answer.json(), { id: 9007199254740993n, name: 'x' });
  });

  it('sends the body byte for byte, with a deadline that grows with its size', async () => {
    // It allows five seconds more.
    const body = randomBytes(5 * 2 ** 20);
    await using server = await listenRaw((socket) =>
      onRequest(socket, (request) => {
        const isWhole = request.endsWith(`\r\n\r\n${body.toString('latin1')}`);
        // Respond after the deadline of a request without a body.
        const answer = `HTTP/1.1 ${isWhole ? 200 : 400} X\r\ncontent-length: 0\r\n\r\n`;
        setTimeout(() => socket.write(answer), 300);
      }),
    );
    await using network = openNetwork({ deadline: 200 });
    const { status } = await network.fetch(server.url, { method: 'POST', body });
    assert.equal(status, 200);
    await assert.rejects(network.fetch(server.url), { name: 'FetchFault' });
  });

  it('reuses connections', async () => {
    await using server = await answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    await using network = openNetwork();
    for (let i = 0; i < 20; i++) await network.fetch(`${server.url}/${i}`, { method: 'POST' });
    // An immediate second request may find the first one's connection not yet released.
    assert.ok(server.sockets.length <= 2, `${server.sockets.length} connections`);
  });

  it('waits when the connection limit is reached', async () => {
    let waiting: Socket[] = [];
    await using server = await listenRaw((socket) =>
      onRequest(socket, () => {
        // Respond only once two requests are waiting.
        waiting.push(socket);
        if (waiting.length < 2) return;
        for (const each of waiting) each.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        waiting = [];
      }),
    );
    await using network = openNetwork({ connections: 2 });
    await Promise.all(Array.from({ length: 10 }, () => network.fetch(server.url)));
    assert.equal(server.sockets.length, 2);
  });

  it('a response that arrives in time is read, even if the process is held up meanwhile', async () => {
    const shared = new Int32Array(new SharedArrayBuffer(4));
    const server = new Worker(HELD_SERVER, { eval: true, workerData: shared });
    const [port] = (await once(server, 'message')) as [number];
    await using network = openNetwork({ deadline: 1_000 });
    const answered = network.fetch(`http://127.0.0.1:${port}/`);
    await once(server, 'message');
    server.unref();
    // Timers fire before anything else after this.
    await new Promise(setImmediate);
    Atomics.store(shared, 0, 1);
    Atomics.notify(shared, 0);
    Atomics.wait(shared, 0, 1, 1_100);
    assert.equal((await answered).status, 200);
  });

  it('request with a longer deadline waits longer and blocks no other requests', async () => {
    const waiting = Promise.withResolvers<Socket>();
    await using server = await listenRaw((socket) =>
      onRequest(socket, (request) => {
        if (request.startsWith('GET /wait')) waiting.resolve(socket);
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      }),
    );
    await using network = openNetwork({ connections: 1, deadline: 2_000 });
    const late = network.fetch(`${server.url}/wait`, { deadline: 10_000 });
    const socket = await waiting.promise;
    assert.equal((await network.fetch(server.url)).status, 200);
    await assert.rejects(network.fetch(`${server.url}/wait`), { name: 'FetchFault' });
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    assert.equal((await late).status, 200);
    await assert.rejects(network.fetch(`${server.url}/wait`, { deadline: 50 }), {
      name: 'FetchFault',
    });
  });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`request does not follow a redirect (${status})`, async () => {
      await using elsewhere = await listenRaw((socket) => socket.end());
      await using server = await answering(
        `HTTP/1.1 ${status} Elsewhere\r\nlocation: ${elsewhere.url}/x\r\ncontent-length: 0\r\n\r\n`,
      );
      await using network = openNetwork();
      const answer = await network.fetch(server.url, { method: 'POST', body: 'x' });
      assert.equal(answer.status, status);
      assert.equal(answer.header('location'), `${elsewhere.url}/x`);
      assert.equal(elsewhere.sockets.length, 0);
    });
  }
});

describe('response', () => {
  it('response is read up to 64 KiB, even if a gigabyte follows', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let written = 0;
    const closed = Promise.withResolvers<void>();
    await using server = await listenRaw((socket) => {
      socket.on('close', () => closed.resolve());
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n');
        const more = () => {
          while (written < 1_073_741_824 && !socket.destroyed) {
            written += chunk.length;
            if (!socket.write(chunk)) return void socket.once('drain', more);
          }
        };
        more();
      });
    });
    await using network = openNetwork();
    const { status, text, truncated } = await network.fetch(server.url);
    assert.deepEqual({ status, truncated }, { status: 200, truncated: true });
    assert.equal(text, 'x'.repeat(64 * 1024));
    await closed.promise;
    assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken`);
  });

  it('response of 64 KiB is read completely', async () => {
    const body = 'y'.repeat(64 * 1024);
    await using server = await answering(
      `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await using network = openNetwork();
    const { text, truncated } = await network.fetch(server.url);
    assert.deepEqual({ length: text.length, truncated }, { length: 65_536, truncated: false });
  });

  it('response is read up to a larger limit if requested', async () => {
    const body = 'y'.repeat(100_000);
    await using server = await answering(
      `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await using network = openNetwork();
    const whole = await network.fetch(server.url, { maxBytes: 100_000 });
    assert.deepEqual([whole.text.length, whole.truncated], [100_000, false]);
    const part = await network.fetch(server.url, { maxBytes: 99_999 });
    assert.deepEqual([part.text.length, part.truncated], [99_999, true]);
  });

  it('response is not cut within a character', async () => {
    const body = `a${'é'.repeat(40_000)}`;
    await using server = await answering(
      `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await using network = openNetwork();
    const { text, truncated } = await network.fetch(server.url);
    assert.equal(truncated, true);
    assert.equal(text, `a${'é'.repeat(32_767)}`);
  });

  it('response is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));
    await using server = await answering(
      `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`,
      bomb,
    );
    await using network = openNetwork();
    const { status, text } = await network.fetch(server.url);
    assert.equal(status, 200);
    assert.ok(text.length <= 64 * 1024);
    assert.equal(text.codePointAt(0), 0x1f);
  });

  it('response with endless headers is refused', async () => {
    await using server = await listenRaw((socket) =>
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const more = () => {
          while (!socket.destroyed && socket.write(`x-${'y'.repeat(1000)}: z\r\n`));
          if (!socket.destroyed) socket.once('drain', more);
        };
        more();
      }),
    );
    await using network = openNetwork();
    await assert.rejects(network.fetch(server.url), {
      name: 'FetchFault',
      message: /127\.0\.0\.1 .*headers/,
      maybeSent: true,
    });
  });

  for (const [what, bytes] of Object.entries({
    'another protocol': '220 mail.example ESMTP ready\r\n',
    'random bytes': Buffer.concat([Buffer.from([0]), randomBytes(512)]),
    'a page without a head': '<!doctype html><h1>Hello</h1>\r\n\r\n',
    'two lengths': 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
  })) {
    it(`response is refused if it is ${what}`, async () => {
      await using server = await answering(bytes);
      await using network = openNetwork();
      await assert.rejects(network.fetch(`${server.url}/canary`, { method: 'POST' }), {
        name: 'FetchFault',
        message: /127\.0\.0\.1 .*HTTP/,
        maybeSent: true,
      });
    });
  }

  it('response that arrives byte by byte is ended by the deadline', async () => {
    await using server = await listenRaw((socket) =>
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        const drip = setInterval(() => socket.write('.'), 10);
        socket.on('close', () => clearInterval(drip));
      }),
    );
    await using network = openNetwork({ deadline: 500 });
    await assert.rejects(network.fetch(server.url), {
      message: '127.0.0.1 took too long to answer',
      maybeSent: true,
    });
    const [socket] = server.sockets;
    await whenClosed(socket);
  });
});
