import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { xmpp } from '../../../src/channels/xmpp/channel.ts';
import { drip, flood, whenClosed } from '../../emulators/server/raw.ts';
import { HEADER, type XmppPeer, openXmpp } from '../../emulators/xmpp.ts';
import { MAX_GROWTH_BYTES, growthWhile } from '../../support/memory.ts';
import { type Expected, assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

/* A server that wants to fill our memory, or to keep us waiting or busy. */

const SENT: Expected = { outcome: 'sent', id: 'message-1-part-1' };
const notSent: Expected = { outcome: 'transient', maybeSent: false };
const maybeSent: Expected = { outcome: 'transient', maybeSent: true };

function open(peer: XmppPeer, patience?: number) {
  const context = openContext({
    credentials: { address: peer.url, username: 'bot@example.org', token: 'not-a-secret' },
    url: '',
    ...(patience !== undefined && { patience }),
  });
  return {
    send: (recipient = 'room@rooms.example.net') =>
      resultOf(xmpp, 'send', outgoing({ recipient }), undefined, context),
    [Symbol.asyncDispose]: () => context[Symbol.asyncDispose](),
  };
}

const FLOODS = {
  'talk of others':
    "<message type='groupchat' from='room@rooms.example.net/eve'><body>Hi</body></message>",
  'errors about others':
    "<message type='error' id='x' from='eve@example.com'><error type='wait'/></message>",
  'who comes and goes': "<presence from='room@rooms.example.net/eve'/>",
  'rooms that it never asked for':
    "<presence from='r@x/bot'><x xmlns='http://jabber.org/protocol/muc#user'><status code='110'/></x></presence>",
  questions: "<iq type='get' id='x'><ping xmlns='urn:xmpp:ping'/></iq>",
  'answers to nothing': "<iq type='result' id='x'/>",
  'tags in tags': '<a>',
  'tags with attributes': "<a b='c' d='e'/>",
  'one tag without an end': 'x',
  'text without an end': '<a>x',
  'a text that goes on': '>',
  'spaces without an end': ' ',
  'comments without an end': '<!-- ',
  'a tag that is none': '<a b>',
  'attributes without an end': `<a b='${'>'.repeat(50)}`,
  'what is no text': '<a><![CDATA[',
  'names for characters': '&amp;',
};

describe('xmpp, at a server that floods it', { timeout: 120_000 }, () => {
  for (const [index, [what, text]] of Object.entries(FLOODS).entries()) {
    it(`with ${what} hangs up, and comes back`, async () => {
      const growth = await growthWhile(async () => {
        // What comes is read in one way at every step: each flood has one, and the moments in between.
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
      assert.ok(growth < MAX_GROWTH_BYTES, `it took ${growth} bytes`);
    });

    it(`with ${what} while it has nothing to say hangs up, and comes back`, async () => {
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
      assert.ok(growth < MAX_GROWTH_BYTES, `it took ${growth} bytes`);
    });
  }

  it('with a stanza that comes in crumbs does not put it together for ever', async () => {
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
    assert.ok(user + system < 20_000_000, `it took ${user + system} µs`);
    assertOutcome(await link.send(), SENT);
  });

  it('with all who are in a large room stays', async () => {
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

describe('xmpp, at a server that drips', { timeout: 30_000 }, () => {
  for (const to of ['stream', 'auth', 'presence', 'message']) {
    it(`instead of answering ${to} gives up in time, and comes back`, async () => {
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

  it('while it has nothing to say does not mind', async () => {
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
