import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { xmpp } from '../../../src/channels/xmpp/channel.ts';
import { drip, flood, whenClosed } from '../../emulators/server/raw.ts';
import { HEADER, type XmppPeer, openXmpp } from '../../emulators/xmpp.ts';
import { MAX_GROWTH_BYTES, growthWhile } from '../../support/memory.ts';
import { type Expected, assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

/* A server that tries to fill our memory or to keep us waiting or busy. */

const SENT: Expected = { outcome: 'sent', id: 'message-1-part-1' };
const notSent: Expected = { outcome: 'transient', maybeSent: false };
const maybeSent: Expected = { outcome: 'transient', maybeSent: true };

function open(peer: XmppPeer, timeoutMs?: number) {
  const context = openContext({
    credentials: { address: peer.url, username: 'bot@example.org', token: 'not-a-secret' },
    url: '',
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  return {
    send: (recipient = 'room@rooms.example.net') =>
      resultOf(xmpp, 'send', outgoing({ recipient }), undefined, context),
    [Symbol.asyncDispose]: () => context[Symbol.asyncDispose](),
  };
}

const FLOODS = {
  'messages between other users':
    "<message type='groupchat' from='room@rooms.example.net/eve'><body>Hi</body></message>",
  'errors about other messages':
    "<message type='error' id='x' from='eve@example.com'><error type='wait'/></message>",
  'presence changes': "<presence from='room@rooms.example.net/eve'/>",
  'rooms it never joined':
    "<presence from='r@x/bot'><x xmlns='http://jabber.org/protocol/muc#user'><status code='110'/></x></presence>",
  questions: "<iq type='get' id='x'><ping xmlns='urn:xmpp:ping'/></iq>",
  'unsolicited replies': "<iq type='result' id='x'/>",
  'nested tags': '<a>',
  'tags with attributes': "<a b='c' d='e'/>",
  'one endless tag': 'x',
  'endless text': '<a>x',
  'text in many pieces': '>',
  'endless spaces': ' ',
  'endless comments': '<!-- ',
  'a malformed tag': '<a b>',
  'endless attributes': `<a b='${'>'.repeat(50)}`,
  'invalid characters': '<a><![CDATA[',
  'character references': '&amp;',
};

describe('xmpp with a server that floods it', () => {
  for (const [index, [what, text]] of Object.entries(FLOODS).entries()) {
    it(`disconnects from a server that sends ${what} and reconnects`, async () => {
      const growth = await growthWhile(async () => {
        // Input is parsed the same way at every step, so each flood gets one step and the idle time.
        for (const to of ['stream', 'auth', 'presence', 'message'].filter(
          (_, i) => i === index % 4,
        )) {
          await using peer = await openXmpp();
          await using link = open(peer);
          peer.next({ to, floods: to === 'stream' ? HEADER + text : text });
          assertOutcome(await link.send(), to === 'message' ? maybeSent : notSent);
          await whenClosed(peer.sockets[0]);
          assertOutcome(await link.send(), SENT);
          assert.equal(peer.sockets.length, 2);
        }
      });
      assert.ok(growth < MAX_GROWTH_BYTES, `memory grew by ${growth} bytes`);
    });

    it(`disconnects when flooded with ${what} while idle and reconnects`, async () => {
      const growth = await growthWhile(async () => {
        await using peer = await openXmpp();
        await using link = open(peer);
        assertOutcome(await link.send(), SENT);
        const [socket] = peer.sockets;
        assert.ok(socket);
        socket.pause();
        flood(socket, text);
        await whenClosed(socket);
        assertOutcome(await link.send(), SENT);
        assert.equal(peer.sockets.length, 2);
      });
      assert.ok(growth < MAX_GROWTH_BYTES, `memory grew by ${growth} bytes`);
    });
  }

  it('stops assembling a stanza that arrives in endless tiny chunks', async () => {
    await using peer = await openXmpp();
    await using link = open(peer);
    assertOutcome(await link.send(), SENT);
    const [socket] = peer.sockets;
    assert.ok(socket);
    socket.setNoDelay(true);
    socket.write(`<message><body>${'x'.repeat(100_000)}`);
    const busy = process.cpuUsage();
    while (!socket.destroyed && !socket.closed) {
      socket.write('>');
      await new Promise(setImmediate);
    }
    const { user, system } = process.cpuUsage(busy);
    assert.ok(user + system < 20_000_000, `used ${user + system} µs of CPU`);
    assertOutcome(await link.send(), SENT);
  });

  it('stays connected while a large room lists its users', async () => {
    await using peer = await openXmpp();
    await using link = open(peer);
    const people = Array.from(
      { length: 5000 },
      (_, i) => `<presence from='room@rooms.example.net/${i}'><show>away</show></presence>`,
    ).join('');
    const self = "<presence from='$to'/>";
    peer.next({ to: 'presence', says: people + self });
    assertOutcome(await link.send(), SENT);
    assertOutcome(await link.send(), SENT);
    assert.equal(peer.sockets.length, 1);
  });
});

describe('xmpp with a server that answers byte by byte', () => {
  for (const to of ['stream', 'auth', 'presence', 'message']) {
    it(`times out when the answer to ${to} drips and reconnects`, async () => {
      await using peer = await openXmpp();
      await using link = open(peer, 100);
      const floods = to === 'stream' ? '<x ' : to === 'auth' ? ' ' : "<presence from='eve@x'/>";
      peer.next({ to, floods, drips: true });
      const result = await link.send();
      assertOutcome(result, { ...(to === 'message' ? maybeSent : notSent), detail: 'in time' });
      await whenClosed(peer.sockets[0]);
      await using another = open(peer);
      assertOutcome(await another.send(), SENT);
    });
  }

  it('tolerates dripping while idle', async () => {
    await using peer = await openXmpp();
    await using link = open(peer);
    assertOutcome(await link.send(), SENT);
    const [socket] = peer.sockets;
    assert.ok(socket);
    drip(socket, ' ', 1);
    assertOutcome(await link.send(), SENT);
    assert.equal(peer.sockets.length, 1);
  });
});
