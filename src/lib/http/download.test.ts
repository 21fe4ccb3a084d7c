import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { BlockList, type Socket } from 'node:net';
import { describe, it } from 'node:test';

import { flood, listenRaw, onRequest, whenClosed } from '../../../test/emulators/server/raw.ts';
import { createGuard } from '../net/address-guard.ts';
import { type HttpClientOptions, createHttpClient } from './client.ts';
import { FetchFault, FetchRefusal } from './fetch.ts';

const guard = createGuard({ allow: new BlockList(), allowLoopback: true });

function openNetwork(options: Partial<HttpClientOptions> = {}) {
  const network = createHttpClient({ guard, ...options });
  const { signal } = new AbortController();
  return {
    download: (url: string, more: { maxBytes?: number; signal?: AbortSignal } = {}) =>
      network.download(url, undefined, { signal, maxBytes: 2 ** 20, ...more }),
    close: () => network.close(),
    [Symbol.asyncDispose]: () => network.close(),
  };
}

const answering = (answer: (socket: Socket) => void) =>
  listenRaw((socket) => onRequest(socket, () => answer(socket)));

const head = (length: number, status = '200 OK') =>
  `HTTP/1.1 ${status}\r\ncontent-type: image/png\r\ncontent-length: ${length}\r\n\r\n`;

describe('download', () => {
  it('yields status, headers and every byte, and reuses the connection', async () => {
    const bytes = randomBytes(300_000);
    await using server = await answering((socket) => {
      socket.write(head(bytes.length));
      socket.write(bytes);
    });
    await using network = openNetwork();
    for (let i = 0; i < 3; i++) {
      const { status, header, body } = await network.download(`${server.url}/a.png`);
      assert.deepEqual([status, header('Content-TYPE')], [200, 'image/png']);
      assert.ok(Buffer.concat(await body.toArray()).equals(bytes));
    }
    assert.ok(server.sockets.length <= 2, `${server.sockets.length} connections`);
  });

  it('returns any status and follows no redirect', async () => {
    await using server = await answering((socket) =>
      socket.write(`HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n`),
    );
    await using network = openNetwork();
    const { status, header, body } = await network.download(server.url);
    assert.deepEqual([status, header('location')], [302, '/x']);
    assert.deepEqual(await body.toArray(), []);
  });

  it('download is refused for blocked targets', async () => {
    await using network = openNetwork();
    await assert.rejects(network.download('http://10.0.0.1/'), {
      constructor: FetchRefusal,
      message: /10\.0\.0\.1/,
    });
    await assert.rejects(network.download('file:///etc/passwd'), FetchFault);
  });

  it('download is refused when the declared size exceeds the limit', async () => {
    await using server = await answering((socket) => {
      socket.write(head(1001));
      socket.write(Buffer.alloc(1001));
    });
    await using network = openNetwork();
    await assert.rejects(network.download(server.url, { maxBytes: 1000 }), {
      constructor: FetchRefusal,
      message: /127\.0\.0\.1 .*1000 bytes/,
    });
    await whenClosed(server.sockets[0]);
  });

  it('fails when the actual size exceeds the limit', async () => {
    await using server = await answering((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      flood(socket, 'x');
    });
    await using network = openNetwork();
    const { body } = await network.download(server.url, { maxBytes: 100_000 });
    await assert.rejects(body.toArray(), /larger than 100000 bytes/);
    await whenClosed(server.sockets[0]);
  });

  it('waits for a slow reader without timing out', async () => {
    const length = 200 * 2 ** 20;
    await using server = await answering((socket) => {
      socket.write(head(length));
      flood(socket, 'x');
    });
    await using network = openNetwork({ deadline: 1_000 });
    const { body } = await network.download(server.url, { maxBytes: length });
    const parts = body.iterator({ destroyOnReturn: false });
    await parts.next();
    // Read nothing for longer than the deadline.
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, 1_500);
    await promise;
    const [socket] = server.sockets;
    const written = (socket?.bytesWritten ?? 0) - (socket?.writableLength ?? 0);
    assert.ok(written < 32 * 2 ** 20, `${written} bytes were sent`);
    let size = 0;
    while (size < 2 ** 26) {
      const { value } = await parts.next();
      assert.ok(value instanceof Uint8Array);
      size += value.length;
    }
    body.destroy();
    await whenClosed(socket);
  });

  it('times out when the server does not answer or stops sending', async () => {
    await using silent = await answering(() => {});
    await using half = await answering((socket) => socket.write(`${head(10)}12345`));
    await using network = openNetwork({ deadline: 50 });
    await assert.rejects(network.download(silent.url), /127\.0\.0\.1/);
    // On a busy machine, time may be up before the head of the response arrives.
    const whole = async () => (await network.download(half.url)).body.toArray();
    await assert.rejects(whole(), /127\.0\.0\.1/);
    await Promise.all([whenClosed(silent.sockets[0]), whenClosed(half.sockets[0])]);
  });

  it('download is canceled by its signal, before and during the response', async () => {
    await using server = await answering((socket) => socket.write(`${head(10)}12345`));
    await using network = openNetwork();
    const early = AbortSignal.abort();
    await assert.rejects(network.download(server.url, { signal: early }), FetchFault);
    const late = new AbortController();
    const { body } = await network.download(server.url, { signal: late.signal });
    late.abort();
    await assert.rejects(body.toArray(), FetchFault);
    await whenClosed(server.sockets[0]);
  });

  it('fails when the server disconnects or the service stops', async () => {
    await using server = await answering((socket) => socket.end(`${head(10)}12345`));
    await using open = await answering((socket) => socket.write(`${head(10)}12345`));
    await using network = openNetwork();
    const { body } = await network.download(server.url);
    await assert.rejects(body.toArray(), FetchFault);
    const other = await network.download(open.url);
    await network.close();
    await assert.rejects(other.body.toArray(), { name: 'FetchFault' });
    await assert.rejects(network.download(open.url), FetchFault);
  });
});
