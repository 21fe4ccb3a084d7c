import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, BlockList, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { type TLSSocket, createServer } from 'node:tls';

import { makeCertificate } from '../../../test/emulators/server/certificate.ts';
import { listenRaw, whenClosed } from '../../../test/emulators/server/raw.ts';
import { FetchRefusal } from '../http/fetch.ts';
import { createGuard } from './address-guard.ts';
import { createDialer } from './dial.ts';

const guard = createGuard({ allow: new BlockList(), allowLoopback: true });
const strict = createGuard({ allow: new BlockList(), allowLoopback: false });
const { signal } = new AbortController();
const resolve = async () => ['127.0.0.1'];
const certificate = makeCertificate('good.example', 'also.example');

/** Greets clients after the handshake and records the requested server names. */
async function listenTls() {
  const names: (string | false | null)[] = [];
  const server = createServer(certificate, (socket) => {
    names.push(socket.servername);
    socket.on('error', () => {});
    socket.end('hello');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    names,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

async function readAll(socket: Socket): Promise<string> {
  const chunks = await socket.toArray();
  return Buffer.concat(chunks).toString();
}

describe('dialer', () => {
  it('connects to an address, a bracketed address and a name', async () => {
    await using server = await listenRaw((socket) => socket.end('hello'));
    const dial = createDialer({ guard, resolve });
    for (const host of ['127.0.0.1', '[127.0.0.1]', 'any.example']) {
      assert.equal(await readAll(await dial(host, server.port, { signal })), 'hello');
    }
  });

  it('connects to no blocked address, given directly or resolved', async () => {
    await using server = await listenRaw((socket) => socket.end('hello'));
    const dial = createDialer({ guard: strict, resolve });
    for (const host of [
      '127.0.0.1',
      '::1',
      '[::1]',
      'any.example',
      '127.1',
      '0x7f.1',
      'fe80::1%1',
    ]) {
      await assert.rejects(dial(host, server.port, { signal }), {
        constructor: FetchRefusal,
        maybeSent: false,
      });
    }
    assert.equal(server.sockets.length, 0);
    const socket = await dial('any.example', server.port, { signal, trusted: true });
    assert.equal(await readAll(socket), 'hello');
  });

  it('uses the system resolver by default', async () => {
    await using server = await listenRaw((socket) => socket.end('hello'));
    const [open, closed] = [createDialer({ guard }), createDialer({ guard: strict })];
    assert.equal(await readAll(await open('localhost', server.port, { signal })), 'hello');
    for (const host of ['localhost', '2130706433', '0x7f.1', '127.1']) {
      await assert.rejects(closed(host, server.port, { signal }), { maybeSent: false });
    }
  });

  it('tries the addresses in order', async () => {
    await using server = await listenRaw((socket) => socket.end('hello'));
    const dial = createDialer({
      guard,
      resolve: async () => ['::1', '127.0.0.3', '127.0.0.1'],
    });
    assert.equal(await readAll(await dial('any.example', server.port, { signal })), 'hello');
  });

  it('gives a dead address its share of what the lookup left of the time', async (t) => {
    await using server = await listenRaw((socket) => socket.end('hello'));
    t.mock.method(performance, 'now', () => now);
    let now = 0;
    const timeouts: number[] = [];
    const { timeout } = AbortSignal;
    t.mock.method(AbortSignal, 'timeout', (ms: number) => {
      timeouts.push(ms);
      return timeout.call(AbortSignal, ms);
    });
    const dial = createDialer({
      guard,
      timeout: 5_000,
      resolve: async () => {
        now += 4_000;
        return ['127.0.0.3', '127.0.0.1'];
      },
    });
    assert.equal(await readAll(await dial('any.example', server.port, { signal })), 'hello');
    assert.deepEqual(timeouts, [5_000, 500]);
  });

  it('stops at once when canceled', async () => {
    const controller = new AbortController();
    const dial = createDialer({
      guard,
      resolve: () => {
        setImmediate(() => controller.abort());
        return new Promise(() => {});
      },
    });
    await assert.rejects(dial('slow.example', 1, { signal: controller.signal }), {
      message: /slow\.example/,
      maybeSent: false,
    });
  });

  it('times out on names whose servers do not answer', async () => {
    const hostsLookedUp: string[] = [];
    const dial = createDialer({
      guard,
      timeout: 50,
      resolve: (host) => {
        hostsLookedUp.push(host);
        return new Promise(() => {});
      },
    });
    const hosts = Array.from({ length: 20 }, (_, at) => `slow-${at}.example`);
    const dialed = [...hosts, ...hosts].map((host) => dial(host, 1, { signal }));
    for (const each of dialed) {
      await assert.rejects(each, {
        name: 'FetchFault',
        message: /slow-\d+\.example/,
        maybeSent: false,
      });
    }
    assert.deepEqual(hostsLookedUp, hosts.slice(0, 16));
  });

  it('shows a host with strange characters safely and shortened', async () => {
    const dial = createDialer({ guard, resolve: async () => [] });
    await assert.rejects(dial('a\r\nb\u202e<c>', 1, { signal }), {
      message: /\ba\?\?b\?\?c\?/,
    });
    await assert.rejects(dial('x'.repeat(5000), 1, { signal }), ({ message }: Error) => {
      return message.length < 150;
    });
  });
});

describe('dialer with TLS', () => {
  it('sends the host name in the handshake', async () => {
    await using server = await listenTls();
    const dial = createDialer({ guard, resolve, ca: certificate.cert });
    const socket = (await dial('good.example', server.port, { tls: true, signal })) as TLSSocket;
    assert.equal(socket.authorized, true);
    assert.equal(await readAll(socket), 'hello');
    assert.equal(
      await readAll(await dial('127.0.0.1', server.port, { tls: true, signal })),
      'hello',
    );
    assert.deepEqual(server.names, ['good.example', false]);
  });

  for (const [what, { ca, host, code }] of Object.entries({
    'is self-signed': { host: 'good.example', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    'is for another host': {
      ca: certificate.cert,
      host: 'bad.example',
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    },
  } as Record<string, { ca?: string; host: string; code: string }>)) {
    it(`refuses a certificate that ${what}`, async () => {
      await using server = await listenTls();
      const dial = createDialer({ guard, resolve, ...(ca !== undefined && { ca }) });
      await assert.rejects(dial(host, server.port, { tls: true, signal }), {
        name: 'FetchFault',
        message: new RegExp(`^${host}: .*\\(${code}\\)$`),
        maybeSent: false,
      });
    });
  }

  for (const [what, answer] of Object.entries({
    'resets the connection': (socket: Socket) => socket.resetAndDestroy(),
    'closes it': (socket: Socket) => socket.end(),
    'speaks another protocol': (socket: Socket) => socket.write('220 hello\r\n'),
  })) {
    it(`rejects when the server ${what} before the handshake is complete`, async () => {
      await using server = await listenRaw((socket) => socket.once('data', () => answer(socket)));
      const dial = createDialer({ guard, resolve });
      await assert.rejects(dial('good.example', server.port, { tls: true, signal }), {
        name: 'FetchFault',
        message: /good\.example/,
        maybeSent: false,
      });
    });
  }

  it('times out when the handshake never completes', async () => {
    await using server = await listenRaw(() => {});
    const dial = createDialer({ guard, resolve, timeout: 50 });
    await assert.rejects(dial('good.example', server.port, { tls: true, signal }), {
      message: /good\.example/,
      maybeSent: false,
    });
    const [socket] = server.sockets;
    socket?.resume();
    await whenClosed(socket);
  });
});
