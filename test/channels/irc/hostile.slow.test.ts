import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { irc } from '../../../src/channels/irc/channel.ts';
import { type IrcPeer, openIrc } from '../../emulators/irc.ts';
import { drip, flood, whenClosed } from '../../emulators/server/raw.ts';
import { MAX_GROWTH_BYTES, growthWhile } from '../../support/memory.ts';
import { type Expected, assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

/* A server that tries to fill our memory or to keep us waiting. */

const SENT: Expected = { outcome: 'sent' };
const notSent: Expected = { outcome: 'transient', maybeSent: false };
const maybeSent: Expected = { outcome: 'transient', maybeSent: true };

function open(peer: IrcPeer, timeoutMs?: number) {
  const context = openContext({
    // Long, so that replies about it are longer than the request.
    credentials: { address: peer.url, username: 'switch', token: 'not-a-secret'.repeat(25) },
    url: '',
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  return {
    send: (recipient: string) => resultOf(irc, 'send', outgoing({ recipient }), undefined, context),
    [Symbol.asyncDispose]: () => context[Symbol.asyncDispose](),
  };
}

const FLOODS = {
  'errors about other recipients': ':irc.example 401 switch alice :No such nick\r\n',
  'errors about the recipient': ':irc.example 401 switch bob :No such nick\r\n',
  'messages between other users': ':eve!e@host PRIVMSG switch :Listen to me!\r\n',
  "a channel's user list": ':irc.example 353 switch = #den :alice bob eve\r\n',
  'the message of the day': ':irc.example 372 switch :- Welcome to this server\r\n',
  options: ':irc.example 005 switch A=1 B=2 :are supported\r\n',
  capabilities: ':irc.example CAP switch NEW :sasl batch away-notify\r\n',
  questions: 'PING :are-you-there\r\n',
  'unfinished batches': ':irc.example BATCH +a netsplit\r\n@batch=a :eve!e@h QUIT :split\r\n',
  'authentication requests': 'AUTHENTICATE +\r\n',
  'empty lines': '\r\n',
  'one endless line': 'x',
  'overlong lines': `${'x'.repeat(20_000)}\r\n`,
};

describe('irc with a server that floods it', () => {
  for (const [index, [what, text]] of Object.entries(FLOODS).entries()) {
    it(`disconnects from a server that sends ${what} and reconnects`, async () => {
      const growth = await growthWhile(async () => {
        // Lines are parsed the same way at every step, so each flood gets one step and the idle time.
        for (const to of ['USER', 'JOIN', 'PRIVMSG'].filter((_, i) => i === index % 3)) {
          await using peer = await openIrc();
          await using link = open(peer);
          peer.next({ to, floods: text });
          const result = await link.send('#den');
          assertOutcome(result, to === 'PRIVMSG' ? maybeSent : notSent);
          await whenClosed(peer.sockets[0]);
          assertOutcome(await link.send('#den'), SENT);
          assert.equal(peer.sockets.length, 2);
        }
      });
      assert.ok(growth < MAX_GROWTH_BYTES, `memory grew by ${growth} bytes`);
    });

    it(`disconnects when flooded with ${what} while idle and reconnects`, async () => {
      const growth = await growthWhile(async () => {
        await using peer = await openIrc();
        await using link = open(peer);
        assertOutcome(await link.send('bob'), SENT);
        const [socket] = peer.sockets;
        assert.ok(socket);
        socket.pause();
        flood(socket, text);
        await whenClosed(socket);
        assertOutcome(await link.send('bob'), SENT);
        assert.equal(peer.sockets.length, 2);
      });
      assert.ok(growth < MAX_GROWTH_BYTES, `memory grew by ${growth} bytes`);
    });
  }

  it('disconnects after more error lines than an answer can have', async () => {
    await using peer = await openIrc();
    await using link = open(peer);
    const errors = Array.from({ length: 1000 }, () => `:irc.example 401 switch ${'x'.repeat(80)}`);
    peer.next({ to: 'PRIVMSG', says: errors });
    assertOutcome(await link.send('bob'), { ...maybeSent, detail: 'too long' });
    assertOutcome(await link.send('bob'), SENT);
  });

  it('disconnects after a line longer than a line can be', async () => {
    for (const end of ['', '\r\n']) {
      await using peer = await openIrc();
      await using link = open(peer);
      assertOutcome(await link.send('bob'), SENT);
      const [socket] = peer.sockets;
      socket?.write(`${'x'.repeat(20_000)}${end}`);
      await whenClosed(socket);
      assertOutcome(await link.send('bob'), SENT);
    }
  });

  it('stays connected while a large channel lists its users', async () => {
    await using peer = await openIrc();
    await using link = open(peer);
    const names = Array.from(
      { length: 2000 },
      () => `:irc.example 353 switch = #den :${'x'.repeat(400)}`,
    );
    peer.next({ to: 'JOIN', says: [':switch!s@host JOIN #den', ...names] });
    assertOutcome(await link.send('#den'), SENT);
    assertOutcome(await link.send('#den'), SENT);
    assert.equal(peer.sockets.length, 1);
  });

  it('forgets channels that it never asked for', async () => {
    const growth = await growthWhile(async () => {
      await using peer = await openIrc();
      await using link = open(peer);
      assertOutcome(await link.send('#den'), SENT);
      const names = Array.from({ length: 300 }, (_, at) => `:switch!s@host JOIN #${at}`);
      peer.next({ to: 'PING', says: [...names, ':irc.example PONG irc.example :switchboard-3'] });
      assertOutcome(await link.send('#den'), SENT);
      assertOutcome(await link.send('#den'), SENT);
      assert.equal(peer.seen.filter((line) => line === 'JOIN #den').length, 2);
    });
    assert.ok(growth < MAX_GROWTH_BYTES, `memory grew by ${growth} bytes`);
  });
});

describe('irc with a server that answers byte by byte', () => {
  for (const to of ['USER', 'PRIVMSG']) {
    it(`times out when the answer to ${to} drips and reconnects`, async () => {
      await using peer = await openIrc();
      await using link = open(peer, 100);
      if (to === 'PRIVMSG') peer.next({ to, drips: ':eve!e@host NOTICE switch :Wait\r\n' });
      else peer.next({ to, drips: 'x' });
      const result = await link.send('bob');
      assertOutcome(result, { ...(to === 'USER' ? notSent : maybeSent), detail: 'in time' });
      await whenClosed(peer.sockets[0]);
      await using another = open(peer);
      assertOutcome(await another.send('bob'), SENT);
    });
  }

  it('tolerates dripping while idle', async () => {
    await using peer = await openIrc();
    await using link = open(peer);
    assertOutcome(await link.send('bob'), SENT);
    const [socket] = peer.sockets;
    assert.ok(socket);
    drip(socket, '\n', 1);
    assertOutcome(await link.send('bob'), SENT);
    assert.equal(peer.sockets.length, 1);
  });
});
