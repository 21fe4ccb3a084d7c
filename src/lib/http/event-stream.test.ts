import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { describe, it } from 'node:test';

import { openEventStream } from './event-stream.ts';
import { FetchFault } from './fetch.ts';

/** A server that writes these chunks and closes the connection. */
async function serve(chunks: readonly (string | Buffer)[]) {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      for (const chunk of chunks) socket.write(chunk);
      socket.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/events?a=b`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n';

async function read(chunks: readonly (string | Buffer)[], maxEventLength = 20): Promise<string[]> {
  await using server = await serve(chunks);
  const stream = await openEventStream(server.url, {
    dial: async (host, port) => {
      const socket = connect(port, host);
      await once(socket, 'connect');
      return socket;
    },
    signal: new AbortController().signal,
    maxEventLength,
    idleMs: 10_000,
  });
  try {
    return await Array.fromAsync(stream.events);
  } finally {
    stream.close();
  }
}

describe('an event stream', () => {
  it('an event stream gives the data of each event, and skips other fields and comments', async () => {
    const text = `${HEAD}:\n\nevent:a\ndata:one\n\nid:1\ndata: two\r\ndata:three\r\n\r\ndata\n\ndata:cut`;
    assert.deepEqual(await read([text]), ['one', 'two\nthree']);
  });

  it('an event stream joins characters and lines that arrive in pieces', async () => {
    const bytes = Buffer.from('data:👋 a\n\n');
    const pieces = Array.from(bytes, (byte) => Buffer.from([byte]));
    assert.deepEqual(await read([HEAD, ...pieces]), ['👋 a']);
  });

  it('an event stream accepts the longest event and refuses a longer one', async () => {
    const longest = 'x'.repeat(14);
    assert.deepEqual(await read([`${HEAD}data:${longest}\n\n`]), [longest]);
    const tooLong = [
      `data:${'x'.repeat(16)}`,
      'data:1234567\ndata:1234567\ndata:1234567\n\n',
      `:${'x'.repeat(20)}`,
    ];
    for (const text of tooLong) await assert.rejects(read([HEAD, text]), FetchFault, text);
  });

  it('an event stream without a response is a fault', async () => {
    await assert.rejects(read(['nonsense\r\n\r\n']), FetchFault);
  });
});
