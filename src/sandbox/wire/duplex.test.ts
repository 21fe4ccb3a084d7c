import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';

import { openDuplex } from './duplex.ts';

describe('in-memory connection', () => {
  it('passes on what each end writes, in order', async () => {
    const [client, server] = openDuplex();
    server.on('data', (bytes: Buffer) => server.write(bytes.toString().toUpperCase()));
    server.on('end', () => server.end());
    for (const word of ['one ', 'two ', 'three']) client.write(word);
    client.end();
    assert.equal(await text(client), 'ONE TWO THREE');
  });

  it('ends both ends when one is destroyed', async () => {
    const [client, server] = openDuplex();
    server.resume();
    client.destroy();
    await once(server, 'close');
    assert.equal(server.destroyed, true);
  });

  it('delivers what was written before a polite end', async () => {
    const [client, server] = openDuplex();
    server.end('goodbye');
    server.destroySoon();
    assert.equal(await text(client), 'goodbye');
  });

  it('holds back a writer whose reader does not read', async () => {
    const [client, server] = openDuplex();
    let written = 0;
    for (let i = 0; i < 100; i++) client.write(Buffer.alloc(16 * 1024), () => written++);
    for (let i = 0; i < 10; i++) await new Promise(setImmediate);
    assert.ok(client.writableLength > 1024 * 1024, 'everything was buffered by the reader');
    let received = 0;
    server.on('data', (bytes: Buffer) => (received += bytes.length));
    client.end();
    await once(server, 'end');
    assert.deepEqual([received, written], [100 * 16 * 1024, 100]);
  });

  it('refuses to write to an end that is gone', async () => {
    const [client, server] = openDuplex();
    server.destroy();
    const refused = once(client, 'error');
    client.write('hello?');
    const [error] = await refused;
    assert.equal(error.code, 'ECONNRESET');
  });
});
