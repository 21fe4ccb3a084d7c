import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { describe, it } from 'node:test';

import { type Element, type Parser, type Xml, xml } from '@xmpp/client';

import { XmppStream } from './stream.ts';

const OPENING =
  "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'><stream:features/>";

/** Keeps the parsers, for inspection. */
function watched(parsers: Parser[]): Xml {
  return Object.assign((...given: Parameters<Xml>) => xml(...given), {
    Parser: class extends xml.Parser {
      constructor() {
        super();
        parsers.push(this);
      }
    },
  });
}

/** Both ends of a connection. */
async function pair(): Promise<AsyncDisposable & { ours: Socket; theirs: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const ours = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const theirs = await accepted;
  theirs.on('error', () => {});
  return {
    ours,
    theirs,
    async [Symbol.asyncDispose]() {
      for (const socket of [ours, theirs]) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('an XMPP stream', () => {
  it('retains neither stanzas nor the text between them', async () => {
    await using both = await pair();
    const parsers: Parser[] = [];
    const stream = new XmppStream(watched(parsers), both.ours, 'example.org');
    const begun = stream.begin();
    both.theirs.write(OPENING);
    await begun;
    const received: Element[] = [];
    const { promise: all, resolve } = Promise.withResolvers<void>();
    stream.listen((element) => {
      received.push(element);
      if (element.is('last')) resolve();
    });
    both.theirs.write(
      `${' '.repeat(1000)}<presence/>\n\n<message><body>a</body></message> <last/>`,
    );
    await all;
    assert.deepEqual(
      received.map(({ name }) => name),
      ['presence', 'message', 'last'],
    );
    assert.equal(parsers.length, 1);
    assert.deepEqual(parsers[0]?.root?.children, []);
  });
});
