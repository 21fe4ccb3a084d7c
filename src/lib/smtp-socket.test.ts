import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { describe, it } from 'node:test';

import { drip, listenRaw, whenClosed } from '../../test/emulators/raw.ts';
import { until } from '../../test/support/until.ts';
import { type ReplyBounds, boundReplies } from './smtp-socket.ts';

async function withSocket(
  serve: (socket: Socket) => void,
  bounds: ReplyBounds,
  use: (socket: Socket) => Promise<void>,
): Promise<void> {
  await using server = await listenRaw(serve);
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  boundReplies(socket, { interval: 5, ...bounds });
  socket.resume();
  try {
    await use(socket);
  } finally {
    socket.destroy();
  }
}

describe('the replies of a mail server', { timeout: 10_000 }, () => {
  it('end the connection when they are more than can be an answer', () =>
    withSocket((socket) => socket.write('x'.repeat(1001)), { most: 1000 }, whenClosed));

  it('end the connection when they trickle for longer than anybody waits', () =>
    withSocket((socket) => drip(socket, 'x'), { patience: 50 }, whenClosed));

  it('may be many, each to a command of its own', () =>
    withSocket(
      (socket) => socket.on('data', () => socket.write('x'.repeat(600))),
      { most: 1000 },
      async (socket) => {
        for (const round of [1, 2, 3, 4, 5]) {
          socket.write('again');
          await until('an answer', () => socket.bytesRead === 600 * round);
          // Two looks later it would be closed.
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        assert.ok(!socket.destroyed);
      },
    ));

  it('may take their time, and nothing happens while there are none', () =>
    withSocket(
      (socket) => socket.once('data', () => socket.write('x')),
      { patience: 30 },
      async (socket) => {
        await new Promise((resolve) => setTimeout(resolve, 60));
        socket.write('hello');
        await until('an answer', () => socket.bytesRead === 1);
        await new Promise((resolve) => setTimeout(resolve, 60));
        assert.ok(!socket.destroyed);
      },
    ));
});
