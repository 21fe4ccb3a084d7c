import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';

import { startTestService } from '../support/service/service.ts';

const upgradeRequest = (path: string) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: ZmFrZS1leGFtcGxlLWtleQ==',
    '\r\n',
  ].join('\r\n');

describe('a socket upgrade request', () => {
  it('survives a reset by the client', async () => {
    await using sb = await startTestService('sqlite');
    const { app } = await sb.application();
    const { pathname } = new URL((await app.get('/1/realtime')).body.url);
    const paths = ['/nothing', '/1/realtime/nonsense', '/chat/1/socket?ticket=x', pathname];
    for (const path of paths) {
      const tries = Array.from({ length: 50 }, async () => {
        const socket = connect(Number(new URL(sb.url).port), '127.0.0.1');
        socket.on('error', () => {});
        await once(socket, 'connect');
        socket.write(upgradeRequest(path), () => socket.resetAndDestroy());
        await once(socket, 'close');
      });
      await Promise.all(tries);
      // An unhandled error would have ended the process and this test.
      assert.equal((await sb.api.get('/1/users/me')).status, 200);
    }
  });

  it('a socket upgrade request that is refused does not delay a stop', async () => {
    const sb = await startTestService('sqlite');
    // It never closes its side.
    const socket = connect({
      port: Number(new URL(sb.url).port),
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    socket.write(upgradeRequest('/nothing'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 404 /);
    await sb[Symbol.asyncDispose]();
    socket.destroy();
  });
});
