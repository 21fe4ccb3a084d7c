import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Element, xml } from '@xmpp/client';

import { xmpp } from '../../../src/channels/xmpp/channel.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import {
  PASSWORD,
  PROSODY,
  ROOMS,
  type Visitor,
  startProsody,
} from '../../emulators/real/prosody.ts';
import { openXmpp } from '../../emulators/xmpp.ts';
import { until } from '../../support/until.ts';
import { kindsOf, listenTo, withoutKeys } from '../listening.ts';
import { assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

const DEN = `den@${ROOMS}`;
const BOB = { id: 'bob@localhost' };
const BOT = 'bot@localhost';

function open(address: string, credentials: Credentials = {}) {
  return openContext({
    credentials: { address, username: BOT, token: PASSWORD, ...credentials },
    url: '',
  });
}

const message = (attrs: Readonly<Record<string, string>>, ...children: (Element | string)[]) =>
  xml('message', { to: BOT, type: 'chat', ...attrs }, ...children);
const body = (text: string) => xml('body', {}, text);
const about = (name: string, xmlns: string, id: string) => xml(name, { xmlns, id });

/** Waits until another user sees it in the room. */
async function waitForJoin(visitor: Visitor): Promise<void> {
  await visitor.sees('it joins', ({ attrs }) => attrs['from'] === `${DEN}/bot`);
}

describe('xmpp messages from a real server', { skip: PROSODY.skip }, () => {
  it('receives direct messages and sends the requested receipts', async () => {
    await using server = await startProsody(['bot', 'bob']);
    const bob = await server.visitor('bob');
    // While it is offline; the server stores the message.
    await bob.say(message({ id: 'a1' }, body('Good *morning* 👍 <&>')));
    await using context = open(server.address);
    await using listener = listenTo(xmpp, context);
    await listener.waitFor(1);
    await bob.say(
      message(
        { id: 'a2' },
        body('> Good morning\nTo you too'),
        about('reply', 'urn:xmpp:reply:0', 'a1'),
        xml(
          'fallback',
          { xmlns: 'urn:xmpp:fallback:0', for: 'urn:xmpp:reply:0' },
          xml('body', { start: '0', end: '15' }),
        ),
        xml('thread', {}, 'thread-1'),
        xml('request', { xmlns: 'urn:xmpp:receipts' }),
      ),
    );
    const url = 'https://example.org/files/cat.JPEG?x=1';
    await bob.say(
      message({ id: 'a3' }, body(url), xml('x', { xmlns: 'jabber:x:oob' }, xml('url', {}, url))),
    );
    await bob.say(
      message(
        { id: 'a4' },
        body('Good evening'),
        about('replace', 'urn:xmpp:message-correct:0', 'a1'),
      ),
    );
    await bob.say(
      message(
        { id: 'a5' },
        body('/me has taken it back'),
        about('retract', 'urn:xmpp:message-retract:1', 'a1'),
      ),
    );
    await bob.say(
      message({ id: 'a6' }, xml('composing', { xmlns: 'http://jabber.org/protocol/chatstates' })),
    );
    await bob.say(xml('message', { to: BOT, type: 'headline' }, body('News')));
    await bob.say(
      xml('message', { to: BOT }, xml('subject', {}, 'Hm'), body('Without a type or an id')),
    );
    await listener.waitFor(6);
    const [first, ...rest] = withoutKeys(listener.inboundEvents);
    assert.ok(first && 'at' in first && Math.abs(Date.now() - Number(first.at)) < 60_000);
    assert.deepEqual(first, {
      what: 'message',
      at: first.at,
      from: BOB,
      id: 'a1',
      text: 'Good *morning* 👍 <&>',
    });
    assert.deepEqual(rest, [
      {
        what: 'message',
        from: BOB,
        id: 'a2',
        text: 'To you too',
        replyTo: 'a1',
        thread: 'thread-1',
      },
      {
        what: 'message',
        from: BOB,
        id: 'a3',
        media: [{ type: 'Image', reference: url, mediaType: 'image/jpeg' }],
      },
      { what: 'edit', from: BOB, id: 'a1', text: 'Good evening' },
      { what: 'deletion', from: BOB, id: 'a1' },
      { what: 'message', from: BOB, title: 'Hm', text: 'Without a type or an id' },
    ]);
    await bob.sees(
      'the receipt',
      (stanza) => stanza.getChild('received', 'urn:xmpp:receipts')?.attrs['id'] === 'a2',
    );
    assert.equal(bob.stanzas.filter((stanza) => stanza.getChild('received')).length, 1);
    assert.deepEqual(await xmpp.media?.(url, context), { url });
  });

  it('receives delivery and read receipts and late errors', async () => {
    await using server = await startProsody(['bot', 'bob']);
    const bob = await server.visitor('bob');
    await using context = open(server.address);
    await using listener = listenTo(xmpp, context);
    const sent = outgoing({ recipient: 'bob@localhost', key: 'key-1' });
    assertOutcome(await resultOf(xmpp, 'send', sent, undefined, context), {
      outcome: 'sent',
      id: 'key-1',
    });
    const got = await bob.sees('it', (stanza) => stanza.attrs['id'] === 'key-1');
    assert.ok(got.getChild('markable', 'urn:xmpp:chat-markers:0'));
    const to = got.attrs['from'] ?? '';
    await bob.say(message({ to }, about('received', 'urn:xmpp:receipts', 'key-1')));
    await bob.say(message({ to }, about('displayed', 'urn:xmpp:chat-markers:0', 'key-1')));
    const reason = xml('service-unavailable', { xmlns: 'urn:ietf:params:xml:ns:xmpp-stanzas' });
    await bob.say(
      xml('message', { to, type: 'error', id: 'key-1' }, xml('error', { type: 'cancel' }, reason)),
    );
    await listener.waitFor(3);
    assert.deepEqual(listener.inboundEvents, [
      { what: 'receipt', id: 'key-1', state: 'delivered' },
      { what: 'receipt', id: 'key-1', state: 'read' },
      {
        what: 'receipt',
        id: 'key-1',
        state: 'failed',
        code: 'service-unavailable',
        detail: 'the server answered service-unavailable',
      },
    ]);
  });

  it('receives room messages, joins and leaves, but not its own messages or the history', async () => {
    const rooms = ['modules_enabled = { "muc_mam" }'];
    await using server = await startProsody(['bot', 'bob', 'ada'], { rooms });
    const bob = await server.visitor('bob');
    await bob.join('den');
    await bob.say(message({ to: DEN, type: 'groupchat', id: 'old' }, body('Before it came')));
    await bob.waitFor(1);
    await using context = open(server.address, { consumer_key: `${DEN}, other@${ROOMS}` });
    await using listener = listenTo(xmpp, context);
    await waitForJoin(bob);
    const ours = outgoing({ recipient: DEN, key: 'key-1', text: 'It is me' });
    const own = await resultOf(xmpp, 'send', ours, undefined, context);
    assert.ok(own.outcome === 'sent' && own.id !== undefined);
    assert.match(own.id, /^key-1;stanza-id=./);
    const ownName = own.id.replace('key-1;stanza-id=', '');
    const say = async (id: string, ...children: Element[]) =>
      bob.say(message({ to: DEN, type: 'groupchat', id }, ...children));
    await say('b1', body('To all'), about('reply', 'urn:xmpp:reply:0', ownName));
    const [first] = await listener.waitFor(1);
    assert.ok(first?.what === 'message' && first.id !== undefined);
    assert.match(first.id, /^b1;stanza-id=./);
    await say('b2', body('To you all'), about('replace', 'urn:xmpp:message-correct:0', 'b1'));
    const name = first.id.replace('b1;stanza-id=', '');
    await say('b3', body('/me'), about('retract', 'urn:xmpp:message-retract:1', name));
    await say('b5', xml('composing', { xmlns: 'http://jabber.org/protocol/chatstates' }));
    await bob.say(message({ to: `${DEN}/bot`, id: 'b4' }, body('Psst')));
    await listener.waitFor(4);
    const ada = await server.visitor('ada');
    await ada.join('den');
    await ada.say(xml('presence', { to: `${DEN}/ada` }, xml('show', {}, 'away')));
    await ada.say(xml('presence', { to: `${DEN}/eve` }));
    await ada.say(xml('presence', { to: `${DEN}/eve`, type: 'unavailable' }));
    await listener.waitFor(6);
    const group = { id: DEN };
    const from = { id: `${DEN}/bob`, name: 'bob' };
    assert.deepEqual(withoutKeys(listener.inboundEvents), [
      { what: 'message', from, group, id: first.id, text: 'To all', replyTo: own.id },
      { what: 'edit', from, group, id: first.id, text: 'To you all' },
      { what: 'deletion', from, group, id: first.id },
      { what: 'message', from, id: 'b4', text: 'Psst' },
      { what: 'join', from: { id: `${DEN}/ada`, name: 'ada' }, group },
      { what: 'leave', from: { id: `${DEN}/eve`, name: 'eve' }, group },
    ]);
    const kinds = kindsOf(listener.ignored);
    const expected = ['message.body: own', 'message.composing: no_content'];
    assert.ok(
      expected.every((kind) => kinds.includes(kind)),
      kinds.join(),
    );
  });

  it('leaves when ended and reports the end of a session', async () => {
    await using server = await startProsody(['bot', 'bob']);
    const bob = await server.visitor('bob');
    await bob.join('den');
    await using context = open(server.address, { consumer_key: DEN });
    const listener = listenTo(xmpp, context);
    await waitForJoin(bob);
    listener.end();
    await bob.sees(
      'it leaves',
      ({ attrs }) => attrs['from'] === `${DEN}/bot` && attrs['type'] === 'unavailable',
    );
    await listener.ended;
    // A message sent before it is back may reach the ended session and be lost.
    bob.stanzas.length = 0;
    await using again = listenTo(xmpp, context);
    await waitForJoin(bob);
    await bob.say(message({ id: 'a1' }, body('Still there?')));
    await again.waitFor(1);
    await server.stop();
    assertOutcome((await again.ended) ?? { outcome: 'sent' }, {
      outcome: 'transient',
      maybeSent: false,
    });
  });
});

describe('xmpp messages', () => {
  const incoming = (inner: string, attrs = "from='bob@example.net/1' id='m1'") =>
    `<message type='chat' to='bot@example.org/1' ${attrs}>${inner}</message>`;
  const account = { username: 'bot@example.org', token: 'fake-password' };

  it('sends a receipt only after the message is stored', async () => {
    await using peer = await openXmpp();
    await using context = open(peer.url, account);
    const request = "<request xmlns='urn:xmpp:receipts'/>";
    peer.next({ to: 'presence', says: incoming(`<body>One</body>${request}`) });
    const failing = listenTo(xmpp, context);
    failing.failNext();
    assert.equal((await failing.ended)?.detail, 'the store is full');
    assert.ok(!peer.seen.some((each) => each.includes('<received')));
    await using listener = listenTo(xmpp, context);
    await listener.waitFor(1);
    await until('the receipt is sent', () => peer.seen.some((each) => each.includes('<received')));
    assert.equal(peer.sockets.length, 1);
  });

  it('gives distinct events distinct keys and repeated events the same key', async () => {
    await using peer = await openXmpp();
    await using context = open(peer.url, account);
    const stamp = "<delay xmlns='urn:xmpp:delay' stamp='2026-01-02T03:04:05Z'/>";
    const stanzas = [
      incoming(`<body>One</body>${stamp}`),
      incoming(`<body>One</body>${stamp}`),
      incoming('<body>Two</body>'),
      incoming('<body>One</body>', "from='bob@example.net/2' id='m1'"),
      incoming('<body>One</body>', "from='eve@example.net/1' id='m1'"),
      incoming('<body>From ourselves</body>', "from='bot@example.org/2' id='m1'"),
      incoming('<body>From the server</body>', "id='m1'"),
      "<message type='groupchat' from='nowhere@rooms.example.net/bob'><body>No room</body></message>",
    ].join('');
    peer.next({ to: 'presence', says: stanzas });
    await using listener = listenTo(xmpp, context);
    await listener.waitFor(4);
    const last = incoming('<body>Last</body>', "from='bob@example.net/1' id='m9'");
    peer.sockets[0]?.write(last);
    await listener.waitFor(5);
    assert.deepEqual(
      listener.inboundEvents.map((inboundEvent) => [
        'from' in inboundEvent && inboundEvent.from.id,
        'text' in inboundEvent && inboundEvent.text,
      ]),
      [
        ['bob@example.net', 'One'],
        ['bob@example.net', 'Two'],
        ['bob@example.net', 'One'],
        ['eve@example.net', 'One'],
        ['bob@example.net', 'Last'],
      ],
    );
    assert.partialDeepStrictEqual(listener.inboundEvents[0], { at: Date.UTC(2026, 0, 2, 3, 4, 5) });
  });

  it('reports invalid rooms to listen in', async () => {
    await using context = open('127.0.0.1:1', { ...account, consumer_key: '#den' });
    await using listener = listenTo(xmpp, context);
    assertOutcome((await listener.ended) ?? { outcome: 'sent' }, {
      outcome: 'permanent',
      blame: 'credentials',
      detail: 'consumer_key',
    });
  });
});
