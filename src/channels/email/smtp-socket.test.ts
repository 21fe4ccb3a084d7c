import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { describe, it } from 'node:test';

import { drip, listenRaw, whenClosed } from '../../../test/emulators/server/raw.ts';
import { until } from '../../../test/support/until.ts';
import { type ReplyBounds, boundReplies } from './smtp-socket.ts';

async function withSocket(
  serve: (socket: Socket) => void,
  bounds: ReplyBounds,
  use: (socket: Socket) => Promise<void>,
): Promise<void> {
  await using server = await listenRaw(serve);
  const socket = connect(server.port, '127.0.0.1');
  boundReplies(socket, bounds);
  await once(socket, 'connect');
  try {
    await use(socket);
  } finally {
    socket.destroy();
  }
}

describe('the socket to a mail server', () => {
  it('closes, and discards the excess, if a reply is too long', () =>
    withSocket(
      (socket) => socket.write('x'.repeat(1001)),
      { max: 1000 },
      async (socket) => {
        let received = 0;
        socket.on('data', ({ length }) => (received += length));
        await whenClosed(socket);
        assert.ok(received <= 1000);
      },
    ));

  it('closes if a reply arrives too slowly', () =>
    withSocket(
      (socket) => drip(socket, 'x'),
      { timeoutMs: 50 },
      async (socket) => {
        await whenClosed(socket.resume());
      },
    ));

  it('passes on many replies to as many commands', () =>
    withSocket(
      (socket) => socket.on('data', () => socket.write('x'.repeat(600))),
      { max: 1000 },
      async (socket) => {
        socket.resume();
        for (const round of [1, 2, 3, 4, 5]) {
          socket.write('again');
          await until('an answer', () => socket.bytesRead === 600 * round);
        }
        assert.ok(!socket.destroyed);
      },
    ));

  it('passes on a late reply that arrives at once', () =>
    withSocket(
      (socket) => socket.on('data', () => socket.write('250 ok\r\n')),
      { timeoutMs: 0.001 },
      async (socket) => {
        socket.resume();
        for (const round of [1, 2]) {
          socket.write('hello');
          await until('an answer', () => socket.bytesRead === 8 * round);
        }
        assert.ok(!socket.destroyed);
      },
    ));
});
