import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Closable } from '../../../src/channels/channel.ts';
import { xmpp } from '../../../src/channels/xmpp/channel.ts';
import { whenClosed } from '../../emulators/server/raw.ts';
import { type XmppPeer, openXmpp, stanzaError } from '../../emulators/xmpp.ts';
import { openContext, outgoing, resultOf } from '../suite.ts';

/* State kept from one message to the next. */

const BOB = 'bob@example.net';
const ROOM = 'room@rooms.example.net';

const optionsFor = ({ url: address }: XmppPeer) => ({
  credentials: { address, username: 'bot@example.org', token: 'not-a-secret' },
  url: '',
});

function open(peer: XmppPeer) {
  const context = openContext(optionsFor(peer));
  return {
    send: async (recipient: string) =>
      (await resultOf(xmpp, 'send', outgoing({ recipient }), undefined, context)).outcome,
    check: () => resultOf(xmpp, 'check', outgoing({ recipient: BOB }), undefined, context),
    [Symbol.asyncDispose]: () => context[Symbol.asyncDispose](),
  };
}

const count = (peer: XmppPeer, what: string) =>
  peer.seen.filter((each) => each.includes(what)).length;

describe('xmpp over one connection', () => {
  it('logs in once, queries a recipient once and joins a room once', async () => {
    await using peer = await openXmpp();
    await using link = open(peer);
    for (const to of [BOB, ROOM, BOB, ROOM, `${ROOM}/eve`, ROOM]) {
      assert.equal(await link.send(to), 'sent');
    }
    assert.equal(peer.sockets.length, 1);
    assert.equal(count(peer, 'disco#info'), 2);
    assert.equal(count(peer, '<presence'), 1);
  });

  it('logs in once for all concurrent messages', async () => {
    await using peer = await openXmpp();
    await using link = open(peer);
    const people = Array.from({ length: 20 }, (_, i) => `p${i}@example.net`);
    const outcomes = await Promise.all(people.map((to) => link.send(to)));
    assert.ok(outcomes.every((outcome) => outcome === 'sent'));
    assert.equal(peer.sockets.length, 1);
  });

  it('rejoins a room after leaving it, whether the room or a user reports it', async () => {
    await using peer = await openXmpp();
    await using link = open(peer);
    assert.equal(await link.send(ROOM), 'sent');
    peer.next({ to: 'message', says: stanzaError('message', 'modify', 'not-acceptable') });
    assert.equal(await link.send(ROOM), 'transient');
    assert.equal(await link.send(ROOM), 'sent');
    assert.equal(count(peer, '<presence'), 2);
    peer.next({
      to: 'message',
      says: `<presence type='unavailable' from='${ROOM}/eve'/><presence type='unavailable' from='${ROOM}/bot'/>`,
    });
    assert.equal(await link.send(ROOM), 'sent');
    assert.equal(await link.send(ROOM), 'sent');
    assert.equal(count(peer, '<presence'), 3);
  });

  it('looks up a previously unknown recipient again', async () => {
    await using peer = await openXmpp();
    await using link = open(peer);
    peer.next({ to: 'query', says: stanzaError('iq', 'cancel', 'item-not-found') });
    for (const type of ['chat', 'groupchat']) {
      assert.equal(await link.send(ROOM), 'sent');
      assert.equal(count(peer, `<message to="${ROOM}" type="${type}"`), 1);
    }
  });

  it('leaves the oldest room when it is in too many', async () => {
    await using peer = await openXmpp();
    await using link = open(peer);
    for (let i = 0; i <= 100; i++) assert.equal(await link.send(`room${i}@x.example`), 'sent');
    const left = peer.seen.filter((each) => each.includes('type="unavailable"'));
    assert.deepEqual(left, ['<presence to="room0@x.example/bot" type="unavailable"/>']);
  });

  it('disconnects after a check unless it was connected before', async () => {
    await using peer = await openXmpp();
    await using link = open(peer);
    assert.partialDeepStrictEqual(await link.check(), { outcome: 'known' });
    await whenClosed(peer.sockets[0]);
    await link.send(BOB);
    await link.check();
    await link.send(BOB);
    assert.equal(peer.sockets.length, 2);
  });

  it('closes the stream when its integration is closed', async () => {
    await using peer = await openXmpp();
    const link = open(peer);
    await link.send(BOB);
    const [socket] = peer.sockets;
    let received = '';
    socket?.on('data', (bytes) => (received += bytes.toString()));
    await link[Symbol.asyncDispose]();
    await whenClosed(socket);
    assert.match(received, /<\/stream:stream>$/);
  });

  it('closes the stream at once when its integration was closed during login', async () => {
    await using peer = await openXmpp();
    await using context = openContext(optionsFor(peer));
    const kept: Closable[] = [];
    const resource = <Kept extends Closable>(make: () => Kept) =>
      context.resource(() => {
        const made = make();
        kept.push(made);
        return made;
      });
    peer.next({
      to: 'auth',
      says: () => {
        for (const each of kept) void each.close();
        return "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>";
      },
    });
    const message = outgoing({ recipient: BOB });
    const result = await resultOf(xmpp, 'send', message, undefined, { ...context, resource });
    assert.partialDeepStrictEqual(result, { outcome: 'transient', maybeSent: false });
    await whenClosed(peer.sockets[0]);
    assert.equal(kept.length, 1);
    assert.equal(count(peer, '<message'), 0);
  });
});
