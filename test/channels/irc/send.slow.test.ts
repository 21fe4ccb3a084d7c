import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { irc } from '../../../src/channels/irc/channel.ts';
import { split } from '../../../src/lib/text/split.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import { openIrc } from '../../emulators/irc.ts';
import { type IrcServer, NGIRCD, startNgircd } from '../../emulators/real/ngircd.ts';
import { type Expected, assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

/* Against a real server; answers.test.ts covers replies that a real server does not give on demand. */

const SENT: Expected = { outcome: 'sent' };
const PASSWORD = 'not-a-secret-of-ngircd';

function open(server: Pick<IrcServer, 'address'>, credentials: Credentials = {}) {
  const context = openContext({
    credentials: { address: server.address, username: 'switch', ...credentials },
    url: '',
  });
  return {
    context,
    send: (recipient: string, text: string) =>
      resultOf(irc, 'send', outgoing({ recipient, text }), undefined, context),
    check: () => resultOf(irc, 'check', outgoing({ recipient: 'nobody' }), undefined, context),
    [Symbol.asyncDispose]: () => context[Symbol.asyncDispose](),
  };
}

describe('irc with a real server', { skip: NGIRCD.skip }, () => {
  it('sends a text to a user', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    const bob = await server.visitor('bob');
    assertOutcome(await link.send('bob', 'Good morning!'), SENT);
    await bob.waitFor(/PRIVMSG/);
    assert.deepEqual(bob.messages, ['switch bob Good morning!']);
  });

  it('joins a channel once and sends a text to it', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('#den');
    for (const text of ['One', 'Two']) assertOutcome(await link.send('#Den', text), SENT);
    await bob.waitFor(/PRIVMSG/, 2);
    assert.deepEqual(bob.messages, ['switch #den One', 'switch #den Two']);
    assert.equal(bob.lines.filter((line) => /^:switch!\S+ JOIN/.test(line)).length, 1);
  });

  it('rejoins a channel after being kicked', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('#den');
    assertOutcome(await link.send('#den', 'One'), SENT);
    // From now on only members may send to the channel.
    bob.say('MODE #den +n', 'KICK #den switch :Out');
    await bob.waitFor(/ KICK #den switch/);
    // Whether or not the client has noticed by now.
    const first = await link.send('#den', 'Two');
    if (first.outcome !== 'sent') {
      assertOutcome(first, { outcome: 'transient', maybeSent: false });
      assertOutcome(await link.send('#den', 'Two'), SENT);
    }
    await bob.waitFor(/PRIVMSG/, 2);
    assert.deepEqual(bob.messages, ['switch #den One', 'switch #den Two']);
  });

  it('delivers a long text of many lines complete and in order', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('#den');
    assert.ok(irc.text);
    const text = `${'A sentence that is not short. '.repeat(20)}\r\n\n👨‍👩‍👧‍👦${'é'.repeat(300)}\nend`;
    const parts = split(text, irc.text);
    assert.ok(parts.length > 4);
    for (const part of parts) assertOutcome(await link.send('#den', part), SENT);
    await bob.waitFor(/PRIVMSG/, parts.length);
    assert.deepEqual(
      bob.messages,
      parts.map((part) => `switch #den ${part}`),
    );
  });

  it('delivers every script, emoji and command-like text unchanged', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    const bob = await server.visitor('bob');
    const texts = [
      'Emoji 👨‍👩‍👧‍👦 👍🏽 ❤️',
      'שלום עולם \u2067مرحبا\u2069',
      ':colon first',
      '/quit',
      'QUIT :Bye',
      '  spaces  between',
      '%s %n {} \\',
    ];
    for (const text of texts) assertOutcome(await link.send('bob', text), SENT);
    await bob.waitFor(/PRIVMSG/, texts.length);
    assert.deepEqual(
      bob.messages,
      texts.map((text) => `switch bob ${text}`),
    );
  });

  it('sends each line separately and prevents command injection', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    const bob = await server.visitor('bob');
    const texts = [
      'a\r\nQUIT :Bye',
      'b\n\nPRIVMSG bob :forged',
      'c\rQUIT',
      'd\0QUIT',
      '\u0001VERSION\u0001',
      '\u0002e\u000304f\u000f',
    ];
    for (const text of texts) assertOutcome(await link.send('bob', text), SENT);
    const lines = ['a', 'QUIT :Bye', 'b', 'PRIVMSG bob :forged', 'c', 'QUIT', 'dQUIT'];
    await bob.waitFor(/PRIVMSG/, lines.length + 2);
    assert.deepEqual(
      bob.messages,
      [...lines, 'VERSION', 'e04f'].map((line) => `switch bob ${line}`),
    );
  });

  it('reports an absent recipient', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    assertOutcome(await link.send('nobody', 'Hello?'), {
      outcome: 'permanent',
      blame: 'recipient',
      code: '401',
    });
  });

  it('reports channels that it may not join or write to', async () => {
    const channels = [
      'Name = #closed\nModes = +i',
      'Name = #locked\nModes = +k key',
      'Name = #moderated\nModes = +m',
      'Name = #banned\nModes = +b switch!*@*',
      'Name = #known\nModes = +R',
    ];
    await using server = await startNgircd({ channels });
    await using link = open(server);
    for (const [channel, code] of [
      ['#closed', '473'],
      ['#locked', '475'],
      ['#moderated', '404'],
      ['#banned', '474'],
      ['#known', '471'],
    ] as const) {
      const expected: Expected = { outcome: 'permanent', blame: 'recipient', code };
      assertOutcome(await link.send(channel, 'Hello?'), expected);
    }
    assertOutcome(await link.send('#open', 'Hello!'), SENT);
  });

  it('uses another nick when its own is in use', async () => {
    await using server = await startNgircd();
    await server.visitor('switch');
    const bob = await server.visitor('bob');
    await using link = open(server);
    assertOutcome(await link.send('bob', 'It is me'), SENT);
    await bob.waitFor(/PRIVMSG/);
    assert.deepEqual(bob.messages, ['switch_ bob It is me']);
  });

  it("requires the server's password", async () => {
    await using server = await startNgircd({ password: PASSWORD });
    for (const token of ['fake-and-wrong', '']) {
      await using link = open(server, { token });
      const result = await link.send('bob', 'Hello');
      assert.partialDeepStrictEqual(result, { outcome: 'permanent', blame: 'credentials' });
      assert.ok(!JSON.stringify(result).includes(PASSWORD));
    }
    const bob = await server.visitor('bob');
    await using link = open(server, { token: PASSWORD });
    assertOutcome(await link.send('bob', 'Hello'), SENT);
    await bob.waitFor(/PRIVMSG/);
  });

  it('reconnects and rejoins its channel after a server restart', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    assertOutcome(await link.send('#den', 'One'), SENT);
    await server.restart();
    const bob = await server.visitor('bob');
    await bob.join('#den');
    // Whether or not the client has noticed the end by now, no message is lost or sent twice.
    const first = await link.send('#den', 'Two');
    if (first.outcome !== 'sent') {
      assert.equal(first.outcome, 'transient');
      assertOutcome(await link.send('#den', 'Two'), SENT);
    }
    await bob.waitFor(/PRIVMSG/);
    assert.deepEqual(bob.messages, ['switch #den Two']);
  });

  it('reports a refused connection', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    await server.stop();
    assertOutcome(await link.send('bob', 'Hello?'), {
      outcome: 'transient',
      maybeSent: false,
      detail: 'ECONNREFUSED',
    });
  });

  for (const [slowsDown, count] of [
    [false, 60],
    [true, 6],
  ] as const) {
    const kind = slowsDown ? 'throttles it' : 'does not throttle it';
    it(`is not disconnected and loses nothing under load when the server ${kind}`, async () => {
      await using server = await startNgircd({ slowsDown });
      await using link = open(server);
      const bob = await server.visitor('bob');
      const texts = Array.from({ length: count }, (_, at) => `Number ${at} ${'x'.repeat(300)}`);
      const results = await Promise.all(texts.map((text) => link.send('bob', text)));
      assert.ok(results.every(({ outcome }) => outcome === 'sent'));
      await bob.waitFor(/PRIVMSG/, texts.length);
      assert.deepEqual(
        bob.messages,
        texts.map((text) => `switch bob ${text}`),
      );
    });
  }

  it('check: accepts its nick and disconnects afterwards', async () => {
    await using server = await startNgircd();
    const bob = await server.visitor('bob');
    await using link = open(server);
    assertOutcome(await link.check(), { outcome: 'known', as: 'switch' });
    // Polled, since the server needs a moment.
    for (let asked = 1; !bob.lines.some((line) => / 401 bob switch /.test(line)); asked++) {
      bob.say('WHOIS switch');
      assert.ok(asked < 1000, 'it is still connected');
      await bob.waitFor(/ 318 bob switch /, asked);
    }
  });

  it('disconnects when its integration is closed and not before', async () => {
    await using server = await startNgircd();
    const bob = await server.visitor('bob');
    await bob.join('#den');
    const link = open(server);
    await link.send('#den', 'Hello');
    await link.check();
    await link.send('#den', 'Still here');
    assert.ok(!bob.lines.some((line) => line.startsWith(':switch!') && line.includes(' QUIT')));
    await link[Symbol.asyncDispose]();
    const quitLine = await bob.waitFor(/^:switch!\S+ QUIT/);
    assert.doesNotMatch(quitLine, /closed connection/, 'it left without QUIT');
  });
});

describe('irc over one connection', () => {
  it('registers once and joins each channel once', async () => {
    const peer = await openIrc();
    const link = open({ address: peer.url });
    for (const recipient of ['#a', '#b', '#A', 'bob', '#b']) {
      assertOutcome(await link.send(recipient, 'Hello'), SENT);
    }
    await link[Symbol.asyncDispose]();
    await peer.close();
    const sentLines = peer.seen.filter((line) => /^(?:NICK|JOIN|PRIVMSG)/.test(line));
    assert.deepEqual(sentLines, [
      'NICK switch',
      'JOIN #a',
      'PRIVMSG #a :Hello',
      'JOIN #b',
      'PRIVMSG #b :Hello',
      'PRIVMSG #A :Hello',
      'PRIVMSG bob :Hello',
      'PRIVMSG #b :Hello',
    ]);
  });
});
