import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, it } from 'node:test';

import { listenRaw, onRequest, whenClosed } from '../../test/emulators/raw.ts';
import { createGuard } from './addresses.ts';
import type { FetchRequest } from './fetch.ts';
import { type OutgoingOptions, createOutgoing } from './outgoing.ts';

const guard = createGuard({ allow: new BlockList(), allowLoopback: true });

function openNetwork(options: Partial<OutgoingOptions> = {}) {
  const network = createOutgoing({ guard, ...options });
  return {
    fetch: (url: string, request?: FetchRequest, signal = new AbortController().signal) =>
      network.fetch(url, request, { signal }),
    close: () => network.close(),
    [Symbol.asyncDispose]: () => network.close(),
  };
}

/** A port of loopback where nobody listens. */
async function closedPort(): Promise<number> {
  await using server = await listenRaw(() => {});
  return server.port;
}

describe('a request that surely did not arrive', () => {
  it('is one to a host that is not found', async () => {
    await using network = openNetwork({
      resolve: async () => {
        throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
      },
    });
    await assert.rejects(network.fetch('https://nowhere.example/bot-canary/x?y=canary'), {
      name: 'FetchFault',
      message: 'the host nowhere.example was not found',
      perhapsSent: false,
    });
  });

  it('is one to a host without addresses', async () => {
    await using network = openNetwork({ resolve: async () => [] });
    await assert.rejects(network.fetch('https://nowhere.example/'), {
      message: 'the host nowhere.example was not found',
      perhapsSent: false,
    });
  });

  it('is one that nobody takes', async () => {
    const port = await closedPort();
    await using network = openNetwork();
    await assert.rejects(network.fetch(`http://127.0.0.1:${port}/bot-canary`), {
      message: '127.0.0.1 could not be connected to (ECONNREFUSED)',
      perhapsSent: false,
    });
  });

  it('is one for which no connection came in time', async () => {
    await using network = openNetwork({
      resolve: () => new Promise(() => {}),
      connectTimeout: 50,
    });
    await assert.rejects(network.fetch('http://slow.example/'), {
      message: 'connecting to slow.example took too long',
      perhapsSent: false,
    });
  });

  it('is one whose deadline passed before there was a connection', async () => {
    await using network = openNetwork({ resolve: () => new Promise(() => {}), deadline: 50 });
    await assert.rejects(network.fetch('http://slow.example/'), {
      message: 'slow.example took too long to answer',
      perhapsSent: false,
    });
  });

  it('is one that was given up before there was a connection', async () => {
    const resolving = Promise.withResolvers<readonly string[]>();
    const asked = Promise.withResolvers<void>();
    await using server = await listenRaw((socket) => onRequest(socket, () => socket.end()));
    await using network = openNetwork({
      resolve: () => {
        asked.resolve();
        return resolving.promise;
      },
    });
    const controller = new AbortController();
    const url = `http://slow.example:${server.port}/`;
    const given = assert.rejects(network.fetch(url, {}, controller.signal), {
      message: 'the request to slow.example was given up',
      perhapsSent: false,
    });
    await asked.promise;
    controller.abort();
    await given;
    // Nor does it go out when the connection is there at last.
    let bytes = 0;
    resolving.resolve(['127.0.0.1']);
    while (server.sockets.length === 0) await new Promise(setImmediate);
    const [socket] = server.sockets;
    socket?.on('data', (chunk) => (bytes += chunk.length));
    await whenClosed(socket);
    assert.equal(bytes, 0);
  });

  it('is one that was given up before it began', async () => {
    await using server = await listenRaw(() => {});
    await using network = openNetwork();
    await assert.rejects(network.fetch(server.url, {}, AbortSignal.abort()), {
      message: 'the request to 127.0.0.1 was given up',
      perhapsSent: false,
    });
    assert.equal(server.sockets.length, 0);
  });

  it('is one that waits for a connection until it is given up', async () => {
    await using server = await listenRaw(() => {});
    await using network = openNetwork({ connections: 1 });
    const controllers = [new AbortController(), new AbortController()];
    const [first, second] = controllers.map(({ signal }) => network.fetch(server.url, {}, signal));
    while (!server.sockets[0]?.bytesRead) await new Promise(setImmediate);
    controllers[1]?.abort();
    await assert.rejects(second ?? Promise.resolve(), { perhapsSent: false });
    controllers[0]?.abort();
    await assert.rejects(first ?? Promise.resolve(), { perhapsSent: true });
  });

  it('is one after the end', async () => {
    const network = openNetwork();
    await network.close();
    await assert.rejects(network.fetch('http://127.0.0.1:1/'), {
      message: 'the service is stopping',
      perhapsSent: false,
    });
  });
});

describe('a request that may have arrived', () => {
  for (const [what, act] of Object.entries({
    reset: 'resetAndDestroy',
    closed: 'end',
  } as const)) {
    it(`is one whose connection is ${what} when it was read`, async () => {
      await using server = await listenRaw((socket) => onRequest(socket, () => socket[act]()));
      await using network = openNetwork();
      await assert.rejects(
        network.fetch(`${server.url}/bot-canary`, { method: 'POST', body: 'x' }),
        {
          name: 'FetchFault',
          message: '127.0.0.1 closed the connection without a complete answer',
          perhapsSent: true,
        },
      );
      // Nor is it repeated by itself.
      assert.equal(server.sockets.length, 1);
    });
  }

  it('is one whose answer breaks off', async () => {
    await using server = await listenRaw((socket) =>
      onRequest(socket, () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')),
    );
    await using network = openNetwork();
    await assert.rejects(network.fetch(server.url), {
      message: '127.0.0.1 closed the connection without a complete answer',
      perhapsSent: true,
    });
  });

  it('is one that is not answered in time', async () => {
    await using server = await listenRaw(() => {});
    await using network = openNetwork({ deadline: 500 });
    await assert.rejects(network.fetch(`${server.url}/bot-canary`), {
      message: '127.0.0.1 took too long to answer',
      perhapsSent: true,
    });
  });

  it('is one that is given up while it waits for its answer', async () => {
    const controller = new AbortController();
    await using server = await listenRaw((socket) =>
      onRequest(socket, () => controller.abort(new Error('canary'))),
    );
    await using network = openNetwork();
    await assert.rejects(network.fetch(server.url, {}, controller.signal), {
      message: 'the request to 127.0.0.1 was given up',
      perhapsSent: true,
    });
    const [socket] = server.sockets;
    await whenClosed(socket);
  });

  it('is one that is under way at the end', async () => {
    const network = openNetwork();
    await using server = await listenRaw((socket) => onRequest(socket, () => void network.close()));
    await assert.rejects(network.fetch(server.url), {
      message: 'the request to 127.0.0.1 was given up',
      perhapsSent: true,
    });
  });
});
