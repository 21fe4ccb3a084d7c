import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, it } from 'node:test';

import { listenRaw, onRequest } from '../../../test/emulators/server/raw.ts';
import { createGuard } from '../net/address-guard.ts';
import { createHttpClient } from './client.ts';
import { FetchFault, FetchRefusal } from './fetch.ts';

const guard = createGuard({ allow: new BlockList(), allowLoopback: false });
const { signal } = new AbortController();

/** PORT stands for a server on loopback, which must receive nothing. */
const HOSTILE = [
  // Loopback, in every notation.
  'http://127.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://127.127.127.127:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0x7f.1:PORT/',
  'http://0x7f.0x0.0x0.0x1:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://017700000001:PORT/',
  'http://0177.0x0.0.1:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://127%2e0%2e0%2e1:PORT/',
  'http://１２７.０.０.１:PORT/',
  'http://127。0。0。1:PORT/',
  'http://127．0．0．1:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http:127.0.0.1:PORT/',
  'http:/127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT\\',
  'http:///127.0.0.1:PORT/',
  'http://\t127.0.0.1:PORT/',
  ' http://127.0.0.1:PORT/ ',
  'HTTP://127.0.0.1:PORT/',
  'ht\ntp://127.0.0.1:PORT/',
  'http://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[0000::1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[64:ff9b::7f00:1]:PORT/',
  'http://[64:ff9b:1::7f00:1]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[2001:0:7f00:1::]:PORT/',
  'https://127.0.0.1:PORT/',
  'https://[::1]:PORT/',
  // This host.
  'http://0:PORT/',
  'http://0.0.0.0:PORT/',
  'http://[::]:PORT/',
  'http://0x0:PORT/',
  // Names that resolve to it.
  'http://localhost:PORT/',
  'http://localhost.:PORT/',
  'http://LOCALHOST:PORT/',
  'http://ⓛocalhost:PORT/',
  'http://loc%61lhost:PORT/',
  'http://anything.localhost:PORT/',
  'http://127.0.0.1.rebind.example:PORT/',
  'http://mapped.example:PORT/',
  'http://nat64.example:PORT/',
  'http://six-to-four.example:PORT/',
  'http://both-private.example:PORT/',
  'http://zone.example:PORT/',
  // Private and reserved networks.
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0xa9fea9fe/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://[::ffff:a9fe:a9fe]/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://[fe80::1]/',
  'http://192.0.0.192/opc/v1/instance/',
  'http://168.63.129.16/machine/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  // Invalid URLs, and URLs with forbidden parts.
  'http://user@127.0.0.1:PORT/',
  'http://user:password@public.example:PORT/',
  'http://public.example:PORT@127.0.0.1:PORT/',
  'http://public.example#@127.0.0.1:PORT/',
  'ftp://127.0.0.1:PORT/',
  'file:///etc/passwd',
  'data:text/plain,hello',
  'gopher://127.0.0.1:PORT/_GET',
  'javascript:alert(1)',
  'unix:/var/run/docker.sock:/containers/json',
  'http+unix://%2fvar%2frun%2fdocker.sock/',
  'ws://127.0.0.1:PORT/',
  '//127.0.0.1:PORT/',
  '127.0.0.1:PORT',
  'http://',
  'http://[::1',
  'http://[fe80::1%25lo]:PORT/',
  'http://127.0.0.1\u0000.example:PORT/',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
  'http://127.0.0.1:99999/',
  '',
];

const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'anything.localhost': ['::1'],
  '127.0.0.1.rebind.example': ['127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'six-to-four.example': ['2002:7f00:1::'],
  'both-private.example': ['10.0.0.1', '127.0.0.1'],
  'zone.example': ['fe80::1%lo'],
};

const resolve = async (host: string) => NAMES[host] ?? [];

describe('URL chosen by a tenant', () => {
  it(`reaches only public addresses, in ${HOSTILE.length} attempts`, async () => {
    assert.ok(HOSTILE.length >= 60);
    await using server = await listenRaw((socket) => socket.end());
    const allowed: string[] = [];
    const watching = (address: string, port: number) => {
      const isAllowed = guard(address, port);
      if (isAllowed) allowed.push(address);
      return isAllowed;
    };
    const network = createHttpClient({ guard: watching, resolve, deadline: 2000 });
    try {
      for (const hostile of HOSTILE) {
        const url = hostile.replaceAll('PORT', String(server.port));
        const fault = await network.fetch(url, {}, { signal }).catch((error: unknown) => error);
        assert.ok(fault instanceof FetchFault, `${hostile} was answered`);
        assert.equal(fault.maybeSent, false, hostile);
        assert.deepEqual(allowed, [], hostile);
      }
      assert.equal(server.sockets.length, 0);
    } finally {
      await network.close();
    }
  });

  it('error names the host and no address', async () => {
    const network = createHttpClient({ guard, resolve });
    await assert.rejects(
      network.fetch('http://six-to-four.example/bot-canary?q=canary', {}, { signal }),
      { message: 'the address of six-to-four.example is blocked' },
    );
    await network.close();
  });

  it('connects to the checked address even if the resolver changes its answer', async () => {
    await using server = await listenRaw((socket) => socket.end());
    const lookups: string[] = [];
    // The first lookup returns a harmless address, later ones the forbidden address.
    const network = createHttpClient({
      guard: (address) => address === '127.0.0.2',
      async resolve(host) {
        lookups.push(host);
        return lookups.length === 1 ? ['127.0.0.2'] : ['127.0.0.1'];
      },
      connectTimeout: 500,
    });
    const url = `http://rebind.example:${server.port}/`;
    // It connects to the address that was checked, where nobody listens.
    await assert.rejects(network.fetch(url, {}, { signal }), FetchFault);
    assert.deepEqual(lookups, ['rebind.example']);
    await assert.rejects(network.fetch(url, {}, { signal }), FetchRefusal);
    assert.deepEqual(lookups, ['rebind.example', 'rebind.example']);
    assert.equal(server.sockets.length, 0);
    await network.close();
  });

  it('connects to the public one of several addresses', async () => {
    await using server = await listenRaw((socket) =>
      onRequest(socket, () => socket.end('HTTP/1.1 204 No Content\r\n\r\n')),
    );
    const checked: string[] = [];
    const network = createHttpClient({
      guard(address) {
        checked.push(address);
        return address === '127.0.0.1';
      },
      resolve: async () => ['10.0.0.1', '127.0.0.1', '192.168.0.1'],
    });
    const { status } = await network.fetch(`http://mixed.example:${server.port}/`, {}, { signal });
    assert.equal(status, 204);
    assert.deepEqual(checked, ['10.0.0.1', '127.0.0.1', '192.168.0.1']);
    await network.close();
  });
});

describe('URL chosen by the operator', () => {
  it('URL chosen by the operator may be anywhere, and its connections are not shared with tenants', async () => {
    await using server = await listenRaw((socket) =>
      onRequest(socket, () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi')),
    );
    const network = createHttpClient({ guard, resolve });
    const trusted = `${server.url}/base`;
    const answer = await network.fetch(`${server.url}/any`, {}, { signal, trusted });
    assert.equal(answer.text, 'hi');
    // At this point an idle connection exists.
    await assert.rejects(network.fetch(`${server.url}/any`, {}, { signal }), FetchRefusal);
    for (const other of [
      `http://localhost:${server.port}/`,
      server.url.replace('http:', 'https:'),
      `http://127.0.0.1:${server.port === 1 ? 2 : 1}/`,
    ]) {
      await assert.rejects(network.fetch(other, {}, { signal, trusted }), FetchRefusal);
    }
    assert.equal(server.sockets.length, 1);
    await network.close();
  });
});
