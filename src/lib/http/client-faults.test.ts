import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, it } from 'node:test';

import { listenRaw, onRequest, whenClosed } from '../../../test/emulators/server/raw.ts';
import { createGuard } from '../net/address-guard.ts';
import { type HttpClientOptions, createHttpClient } from './client.ts';
import type { FetchRequest } from './fetch.ts';

const guard = createGuard({ allow: new BlockList(), allowLoopback: true });

function openNetwork(options: Partial<HttpClientOptions> = {}) {
  const network = createHttpClient({ guard, ...options });
  return {
    fetch: (url: string, request?: FetchRequest, signal = new AbortController().signal) =>
      network.fetch(url, request, { signal }),
    close: () => network.close(),
    [Symbol.asyncDispose]: () => network.close(),
  };
}

/** A loopback port that nobody listens on. */
async function closedPort(): Promise<number> {
  await using server = await listenRaw(() => {});
  return server.port;
}

describe('maybeSent is false', () => {
  it('maybeSent is false if the host is not found', async () => {
    await using network = openNetwork({
      resolve: async () => {
        throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
      },
    });
    await assert.rejects(network.fetch('https://nowhere.example/bot-canary/x?y=canary'), {
      name: 'FetchFault',
      message: /nowhere\.example/,
      maybeSent: false,
    });
  });

  it('maybeSent is false if the host has no addresses', async () => {
    await using network = openNetwork({ resolve: async () => [] });
    await assert.rejects(network.fetch('https://nowhere.example/'), {
      message: /nowhere\.example/,
      maybeSent: false,
    });
  });

  it('maybeSent is false if the connection is refused', async () => {
    const port = await closedPort();
    await using network = openNetwork();
    await assert.rejects(network.fetch(`http://127.0.0.1:${port}/bot-canary`), {
      message: /127\.0\.0\.1.*\(ECONNREFUSED\)$/,
      maybeSent: false,
    });
  });

  it('maybeSent is false if connecting times out', async () => {
    await using network = openNetwork({
      resolve: () => new Promise(() => {}),
      connectTimeout: 50,
    });
    await assert.rejects(network.fetch('http://slow.example/'), {
      message: /slow\.example/,
      maybeSent: false,
    });
  });

  it('maybeSent is false if the deadline passes before a connection exists', async () => {
    await using network = openNetwork({ resolve: () => new Promise(() => {}), deadline: 50 });
    await assert.rejects(network.fetch('http://slow.example/'), {
      message: /slow\.example/,
      maybeSent: false,
    });
  });

  it('maybeSent is false if the request is canceled before a connection exists', async () => {
    const resolving = Promise.withResolvers<readonly string[]>();
    const requestSeen = Promise.withResolvers<void>();
    await using server = await listenRaw((socket) => onRequest(socket, () => socket.end()));
    await using network = openNetwork({
      resolve: () => {
        requestSeen.resolve();
        return resolving.promise;
      },
    });
    const controller = new AbortController();
    const url = `http://slow.example:${server.port}/`;
    const given = assert.rejects(network.fetch(url, {}, controller.signal), {
      message: /slow\.example/,
      maybeSent: false,
    });
    await requestSeen.promise;
    controller.abort();
    await given;
    // The request is not sent either once the connection exists.
    let bytes = 0;
    resolving.resolve(['127.0.0.1']);
    while (server.sockets.length === 0) await new Promise(setImmediate);
    const [socket] = server.sockets;
    socket?.on('data', (chunk) => (bytes += chunk.length));
    await whenClosed(socket);
    assert.equal(bytes, 0);
  });

  it('maybeSent is false if the request is canceled before it starts', async () => {
    await using server = await listenRaw(() => {});
    await using network = openNetwork();
    await assert.rejects(network.fetch(server.url, {}, AbortSignal.abort()), {
      message: /127\.0\.0\.1/,
      maybeSent: false,
    });
    assert.equal(server.sockets.length, 0);
  });

  it('maybeSent is false if the request is canceled while it waits for a connection', async () => {
    await using server = await listenRaw(() => {});
    await using network = openNetwork({ connections: 1 });
    const controllers = [new AbortController(), new AbortController()];
    const [first, second] = controllers.map(({ signal }) => network.fetch(server.url, {}, signal));
    while (!server.sockets[0]?.bytesRead) await new Promise(setImmediate);
    controllers[1]?.abort();
    await assert.rejects(second ?? Promise.resolve(), { maybeSent: false });
    controllers[0]?.abort();
    await assert.rejects(first ?? Promise.resolve(), { maybeSent: true });
  });

  it('maybeSent is false if the network is closed', async () => {
    const network = openNetwork();
    await network.close();
    await assert.rejects(network.fetch('http://127.0.0.1:1/'), {
      name: 'FetchFault',
      maybeSent: false,
    });
  });
});

describe('maybeSent is true', () => {
  for (const [what, act] of Object.entries({
    reset: 'resetAndDestroy',
    closed: 'end',
  } as const)) {
    it(`maybeSent is true if the connection is ${what} after the server read the request`, async () => {
      await using server = await listenRaw((socket) => onRequest(socket, () => socket[act]()));
      await using network = openNetwork();
      await assert.rejects(
        network.fetch(`${server.url}/bot-canary`, { method: 'POST', body: 'x' }),
        {
          name: 'FetchFault',
          message: /127\.0\.0\.1/,
          maybeSent: true,
        },
      );
      // The request is not repeated automatically.
      assert.equal(server.sockets.length, 1);
    });
  }

  it('maybeSent is true if the response is incomplete', async () => {
    await using server = await listenRaw((socket) =>
      onRequest(socket, () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')),
    );
    await using network = openNetwork();
    await assert.rejects(network.fetch(server.url), {
      message: /127\.0\.0\.1/,
      maybeSent: true,
    });
  });

  it('maybeSent is true if the response times out', async () => {
    await using server = await listenRaw(() => {});
    await using network = openNetwork({ deadline: 500 });
    await assert.rejects(network.fetch(`${server.url}/bot-canary`), {
      message: '127.0.0.1 took too long to answer',
      maybeSent: true,
    });
  });

  it('maybeSent is true if the request is canceled while it waits for the response', async () => {
    const controller = new AbortController();
    await using server = await listenRaw((socket) =>
      onRequest(socket, () => controller.abort(new Error('canary'))),
    );
    await using network = openNetwork();
    await assert.rejects(network.fetch(server.url, {}, controller.signal), {
      message: /127\.0\.0\.1/,
      maybeSent: true,
    });
    const [socket] = server.sockets;
    await whenClosed(socket);
  });

  it('maybeSent is true if the network closes during the request', async () => {
    const network = openNetwork();
    await using server = await listenRaw((socket) => onRequest(socket, () => void network.close()));
    await assert.rejects(network.fetch(server.url), {
      message: /127\.0\.0\.1/,
      maybeSent: true,
    });
  });
});
