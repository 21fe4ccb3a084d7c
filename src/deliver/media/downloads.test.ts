import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, it } from 'node:test';

import { listenRaw, onRequest } from '../../../test/emulators/server/raw.ts';
import { type HttpClientOptions, createHttpClient } from '../../lib/http/client.ts';
import { createGuard } from '../../lib/net/address-guard.ts';
import { Files } from './downloads.ts';

const guard = createGuard({ allow: new BlockList(), allowLoopback: true });

function openFiles(options: Partial<HttpClientOptions> = {}, abort = new AbortController()) {
  const network = createHttpClient({ guard, ...options });
  const files = new Files(network, abort.signal);
  return {
    files,
    network,
    get: (url: string, maxBytes = 1000) => files.download(url, { maxBytes }),
    [Symbol.asyncDispose]: () => network.close(),
  };
}

const answering = (answer: string) =>
  listenRaw((socket) => onRequest(socket, () => socket.end(answer)));

const whole = (status: string, headers: string, body: string) =>
  `HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;

describe('downloading a file to upload it', () => {
  it('takes the media type from the server', async () => {
    await using server = await answering(
      whole('200 OK', 'content-type: Image/PNG; x=y\r\n', 'bytes'),
    );
    await using here = openFiles();
    assert.deepEqual(await here.get(server.url), {
      bytes: Buffer.from('bytes'),
      mediaType: 'image/png',
    });
  });

  it('falls back to application/octet-stream if the media type is malformed', async () => {
    await using server = await answering('HTTP/1.1 200 OK\r\ncontent-type: ?\r\n\r\nbytes');
    await using here = openFiles();
    assert.deepEqual(await here.get(server.url), {
      bytes: Buffer.from('bytes'),
      mediaType: 'application/octet-stream',
    });
  });

  const FAILURES: Readonly<Record<string, readonly [string, 'permanent' | 'transient', RegExp]>> = {
    'is not found': [whole('404 Not Found', '', 'no'), 'permanent', /404/],
    'is forbidden': [whole('403 Forbidden', '', 'no'), 'permanent', /403/],
    redirects: [whole('302 Found', 'location: /x\r\n', ''), 'permanent', /302/],
    'is partial': [whole('206 Partial Content', '', 'x'), 'permanent', /206/],
    'declares too large a size': [whole('200 OK', '', 'x'.repeat(1001)), 'permanent', /1000 bytes/],
    'is too large': [`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1001)}`, 'permanent', /1000 bytes/],
    'is compressed': [whole('200 OK', 'content-encoding: gzip\r\n', 'x'), 'permanent', /gzip/],
    'is empty': [whole('200 OK', '', ''), 'permanent', /empty/],
    'is unavailable': [whole('503 Busy', '', ''), 'transient', /503/],
    'is rate limited': [whole('429 Too Many', '', ''), 'transient', /429/],
    'is cut off': ['HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx', 'transient', /127\.0\.0\.1/],
  };
  for (const [name, [answer, outcome, words]] of Object.entries(FAILURES)) {
    it(`reports a ${outcome} failure if the file ${name}`, async () => {
      await using server = await answering(answer);
      await using here = openFiles();
      const failure = await here.get(server.url);
      assert.ok('outcome' in failure && failure.outcome === outcome, JSON.stringify(failure));
      assert.match(failure.detail, words);
      if (failure.outcome === 'permanent') assert.equal(failure.blame, 'content');
      if (failure.outcome === 'transient') assert.equal(failure.maybeSent, false);
      here.files.close();
      assert.equal(here.network.fileMemory.free, here.network.fileMemory.size);
    });
  }

  it('reports a permanent failure if the address is not allowed', async () => {
    await using here = openFiles();
    const failure = await here.get('http://10.0.0.1/canary');
    assert.ok('outcome' in failure && failure.outcome === 'permanent');
    assert.match(failure.detail, /10\.0\.0\.1/);
    assert.doesNotMatch(failure.detail, /canary/);
  });

  it('waits to download until another attempt has released its memory', async () => {
    await using server = await answering(whole('200 OK', '', 'x'.repeat(60)));
    await using here = openFiles({ fileMemory: 100 });
    const other = new Files(here.network, new AbortController().signal);
    await here.get(server.url);
    assert.equal(here.network.fileMemory.free, 40);
    const waiting = other.download(server.url, { maxBytes: 50 });
    assert.equal(server.sockets.length, 1);
    here.files.close();
    // Larger than the limit of 50, so it fails; the request itself shows that the wait ended.
    assert.ok('outcome' in (await waiting));
    assert.equal(server.sockets.length, 2);
    other.close();
    assert.equal(here.network.fileMemory.free, 100);
  });

  it('downloads those of several files that fit a shared size limit', async () => {
    const bodies = ['x'.repeat(60), 'y'.repeat(41), 'z'.repeat(40), ''];
    await using server = await listenRaw((socket) =>
      onRequest(socket, () => socket.end(whole('200 OK', '', bodies.shift() ?? ''))),
    );
    await using here = openFiles({ fileMemory: 150 });
    const urls = bodies.map(() => server.url);
    const found = await here.files.downloadAll(urls, { maxBytes: 100 });
    assert.deepEqual(
      found.map((file) => ('bytes' in file ? file.bytes.length : file.outcome)),
      [60, 'permanent', 40, 'permanent'],
    );
    assert.equal(here.network.fileMemory.free, 50);
    here.files.close();
    assert.equal(here.network.fileMemory.free, 150);
  });

  it('reports a transient failure if memory does not become free in time', async () => {
    const abort = new AbortController();
    await using here = openFiles({ fileMemory: 100 }, abort);
    await here.network.fileMemory.take(1, abort.signal);
    const waiting = here.get('http://127.0.0.1:9/', 100);
    abort.abort();
    assert.partialDeepStrictEqual(await waiting, {
      outcome: 'transient',
      maybeSent: false,
      blame: 'content',
    });
    const both = await here.files.downloadAll(['http://127.0.0.1:9/', 'x'], { maxBytes: 100 });
    assert.deepEqual(both, [await waiting, await waiting]);
  });
});
