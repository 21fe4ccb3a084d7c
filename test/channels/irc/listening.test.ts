import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { irc } from '../../../src/channels/irc/channel.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import { openIrc } from '../../emulators/irc.ts';
import { NGIRCD, startNgircd } from '../../emulators/real/ngircd.ts';
import { until } from '../../support/until.ts';
import { kindsOf, listenTo, withoutKeys } from '../listening.ts';
import { assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

function open(address: string, credentials: Credentials = {}) {
  return openContext({ credentials: { address, username: 'switch', ...credentials }, url: '' });
}

const bob = { id: 'bob' };

describe('irc messages from a real server', { skip: NGIRCD.skip }, () => {
  it('receives direct messages, channel messages, joins and leaves', async () => {
    await using server = await startNgircd();
    const visitor = await server.visitor('bob');
    await visitor.join('#den');
    await using context = open(server.address, { consumer_key: '#Den, #cellar' });
    await using listener = listenTo(irc, context);
    await visitor.waitFor(/^:switch!\S+ JOIN :?#den/i);
    visitor.say('PRIVMSG switch :Good morning! \u0002\u000304,12Bold\u000f 👍');
    visitor.say('PRIVMSG #den ::) all', 'PRIVMSG #den :\u0001ACTION waves\u0001');
    visitor.say('PRIVMSG switch :\u0001VERSION\u0001', 'NOTICE switch :Do not answer');
    await listener.waitFor(3);
    const ada = await server.visitor('ada');
    await ada.join('#den');
    ada.say('PART #den :Bye');
    await ada.waitFor(/ PART #den/);
    await ada.join('#den');
    await visitor.join('#cellar');
    visitor.say('KICK #den ada', 'NICK bobby', 'QUIT :Good night');
    // Spelled as in the configuration.
    const group = { id: '#Den' };
    await listener.waitFor(10);
    assert.deepEqual(withoutKeys(listener.inboundEvents), [
      { what: 'message', from: bob, text: 'Good morning! Bold 👍' },
      { what: 'message', from: bob, group, text: ':) all' },
      { what: 'message', from: bob, group, text: '/me waves' },
      { what: 'join', from: { id: 'ada' }, group },
      { what: 'leave', from: { id: 'ada' }, group },
      { what: 'join', from: { id: 'ada' }, group },
      { what: 'join', from: bob, group: { id: '#cellar' } },
      { what: 'leave', from: { id: 'ada' }, group },
      { what: 'leave', from: { id: 'bobby' }, group },
      { what: 'leave', from: { id: 'bobby' }, group: { id: '#cellar' } },
    ]);
    assert.ok(
      ['CTCP: bot', 'NOTICE: bot'].every((kind) => kindsOf(listener.ignored).includes(kind)),
    );
  });

  it('shares one session with sending, ignores its own messages, and leaves at the end', async () => {
    await using server = await startNgircd();
    const visitor = await server.visitor('bob');
    await visitor.join('#den');
    await using context = open(server.address, { consumer_key: '#den' });
    await using listener = listenTo(irc, context);
    await visitor.waitFor(/^:switch!\S+ JOIN/);
    const message = outgoing({ recipient: '#den', text: 'It is me' });
    assertOutcome(await resultOf(irc, 'send', message, undefined, context), { outcome: 'sent' });
    visitor.say('PRIVMSG #den :Who?');
    await listener.waitFor(1);
    assert.deepEqual(withoutKeys(listener.inboundEvents), [
      { what: 'message', from: bob, group: { id: '#den' }, text: 'Who?' },
    ]);
    assert.equal(visitor.lines.filter((line) => /^:switch\S* JOIN/.test(line)).length, 1);
    listener.end();
    await visitor.waitFor(/^:switch!\S+ QUIT/);
    assert.equal(await listener.ended.then((failure) => failure?.outcome), 'transient');
  });

  it('reports the end of a session and receives messages in the next one', async () => {
    await using server = await startNgircd();
    await using context = open(server.address, { consumer_key: '#den' });
    await using listener = listenTo(irc, context);
    const first = await server.visitor('bob');
    await first.join('#den');
    await until('the client has joined', () => first.lines.some((line) => /switch/.test(line)));
    first.say('PRIVMSG switch :One');
    await listener.waitFor(1);
    await server.restart();
    assertOutcome((await listener.ended) ?? { outcome: 'sent' }, {
      outcome: 'transient',
      maybeSent: false,
    });
    const second = await server.visitor('bob');
    await second.join('#den');
    await using again = listenTo(irc, context);
    await second.waitFor(/^:switch!\S+ JOIN/);
    second.say('PRIVMSG #den :Two');
    await again.waitFor(1);
    assert.partialDeepStrictEqual(again.inboundEvents, [{ text: 'Two' }]);
  });

  it('continues without a channel that refuses it', async () => {
    await using server = await startNgircd({ channels: ['Name = #closed\nModes = +i'] });
    const visitor = await server.visitor('bob');
    await visitor.join('#den');
    await using context = open(server.address, { consumer_key: '#closed #den' });
    await using listener = listenTo(irc, context);
    await visitor.waitFor(/^:switch!\S+ JOIN/);
    visitor.say('PRIVMSG #den :Hello');
    await listener.waitFor(1);
  });
});

describe('irc messages', () => {
  it('keeps messages that could not be stored and those that arrived before listening', async () => {
    await using peer = await openIrc();
    await using context = open(peer.url);
    const send = async () =>
      resultOf(irc, 'send', outgoing({ recipient: 'bob' }), undefined, context);
    peer.next({
      to: 'PRIVMSG',
      says: ['@time=2026-01-02T03:04:05.678Z;msgid=x1 :bob!b@host PRIVMSG switch :One'],
    });
    await send();
    const failing = listenTo(irc, context);
    failing.failNext();
    assert.equal((await failing.ended)?.detail, 'the store is full');
    await using listener = listenTo(irc, context);
    await listener.waitFor(1);
    assert.deepEqual(listener.inboundEvents, [
      {
        what: 'message',
        key: 'x1',
        at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
        from: bob,
        id: 'x1',
        text: 'One',
      },
    ]);
    assert.equal(peer.sockets.length, 1);
  });

  it('ignores senders that are not users and messages for others', async () => {
    await using peer = await openIrc();
    await using context = open(peer.url);
    await using listener = listenTo(irc, context);
    const [socket] = await until(
      'the client has joined',
      () => peer.sockets.length > 0 && peer.sockets,
    );
    await until('it has registered', () => peer.seen.some((line) => line.startsWith('USER')));
    for (const line of [
      ':irc.example PRIVMSG switch :From the server',
      ':switch!s@host PRIVMSG switch :From itself',
      ':bob!b@host PRIVMSG ada :To another',
      ':bob!b@host PRIVMSG $* :To all',
      ':bob!b@host PRIVMSG switch :\u0002',
      ':bob!b@host PRIVMSG switch',
      ':switch!s@host JOIN #den',
      ':irc.example JOIN #den',
      ':ada!a@host QUIT :Nobody knew that she was here',
      ':irc.example 353 switch = #den :@switch +Ada!a@host ~@eve',
      ':ADA!a@host NICK :ada2',
      ':ada2!a@host QUIT :Bye',
      ':bob!b@host PRIVMSG @#DEN :To those with a rank',
    ]) {
      socket?.write(`${line}\r\n`);
    }
    await listener.waitFor(2);
    const group = { id: '#den' };
    assert.deepEqual(withoutKeys(listener.inboundEvents), [
      { what: 'leave', from: { id: 'ada2' }, group },
      { what: 'message', from: bob, group, text: 'To those with a rank' },
    ]);
    assert.deepEqual(kindsOf(listener.ignored), [
      'PRIVMSG: bot',
      'PRIVMSG: own',
      'PRIVMSG: elsewhere',
      'PRIVMSG: elsewhere',
      'PRIVMSG: no_content',
      'PRIVMSG: no_content',
      'NICK: no_event',
    ]);
  });

  it('joins many channels with few lines', async () => {
    await using peer = await openIrc();
    const names = Array.from({ length: 8 }, (_, at) => `#${at}`.padEnd(60, 'x'));
    await using context = open(peer.url, { consumer_key: names.join(',') });
    await using _listener = listenTo(irc, context);
    const joins = await until('all channels are joined', () => {
      const seen = peer.seen.filter((line) => line.startsWith('JOIN'));
      return seen.length === 2 && seen;
    });
    assert.deepEqual(joins, [
      `JOIN ${names.slice(0, 6).join(',')}`,
      `JOIN ${names.slice(6).join(',')}`,
    ]);
  });

  it('reports invalid rooms to listen in', async () => {
    for (const consumer_key of ['den', '#a,#b:c', '#a$', `#${'x'.repeat(64)}`]) {
      await using context = open('127.0.0.1:1', { consumer_key });
      await using listener = listenTo(irc, context);
      const failure = (await listener.ended) ?? { outcome: 'sent' };
      assertOutcome(failure, {
        outcome: 'permanent',
        blame: 'credentials',
        detail: 'consumer_key',
      });
    }
  });
});
