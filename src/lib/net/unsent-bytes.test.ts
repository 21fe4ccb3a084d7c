import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';

import { WebSocket, WebSocketServer } from 'ws';

import { until } from '../../../test/support/until.ts';
import { UnsentBytes } from './unsent-bytes.ts';

const MEBIBYTE = 1024 * 1024;
const PIECE = 'x'.repeat(MEBIBYTE / 4);

/** The server's socket and its client. */
async function pair(server: WebSocketServer): Promise<{ socket: WebSocket; reader: WebSocket }> {
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  const reader = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(reader, 'open');
  const [socket] = await connected;
  return { socket, reader };
}

describe('unsent bytes', () => {
  it('over the limit disconnect the slowest reader, and others continue', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    const unsent = new UnsentBytes(4 * MEBIBYTE);
    const slow = [await pair(server), await pair(server), await pair(server)];
    for (const { reader } of slow) reader.pause();
    const quick = await pair(server);
    let read = 0;
    quick.reader.on('message', () => read++);
    let most = 0;
    for (let i = 0; i < 200; i++) {
      for (const { socket } of slow) {
        unsent.send(socket, PIECE);
        most = Math.max(most, unsent.total);
      }
    }
    assert.ok(most <= unsent.limit, `${most} bytes`);
    await until('they are gone', () =>
      slow.every(({ socket }) => socket.readyState === WebSocket.CLOSED),
    );
    unsent.send(quick.socket, PIECE);
    await until('it is read', () => read === 1);
    await until('nothing waits', () => unsent.total === 0);
    for (const { reader } of [...slow, quick]) reader.terminate();
    server.close();
  });
});
