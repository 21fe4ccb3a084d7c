import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { irc } from '../../../src/channels/irc/channel.ts';
import { split } from '../../../src/lib/text/split.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import { openIrc } from '../../emulators/irc.ts';
import { type IrcServer, NGIRCD, startNgircd } from '../../emulators/real/ngircd.ts';
import { type Expected, assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

/* Against a real server; irc-answers.test.ts has what such a server does not do on demand. */

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

describe('irc, at a real server,', { skip: NGIRCD.skip, timeout: 60_000 }, () => {
  it('says something to somebody', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    const bob = await server.visitor('bob');
    assertOutcome(await link.send('bob', 'Good morning!'), SENT);
    await bob.hears(/PRIVMSG/);
    assert.deepEqual(bob.messages, ['switch bob Good morning!']);
  });

  it('joins a channel once, and says something there', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('#den');
    for (const text of ['One', 'Two']) assertOutcome(await link.send('#Den', text), SENT);
    await bob.hears(/PRIVMSG/, 2);
    assert.deepEqual(bob.messages, ['switch #den One', 'switch #den Two']);
    assert.equal(bob.lines.filter((line) => /^:switch!\S+ JOIN/.test(line)).length, 1);
  });

  it('goes back to a channel that it was thrown out of', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('#den');
    assertOutcome(await link.send('#den', 'One'), SENT);
    // From now on the channel listens to those only who are there.
    bob.say('MODE #den +n', 'KICK #den switch :Out');
    await bob.hears(/ KICK #den switch/);
    // Whether it has heard of it by now or not.
    const first = await link.send('#den', 'Two');
    if (first.outcome !== 'sent') {
      assertOutcome(first, { outcome: 'transient', maybeSent: false });
      assertOutcome(await link.send('#den', 'Two'), SENT);
    }
    await bob.hears(/PRIVMSG/, 2);
    assert.deepEqual(bob.messages, ['switch #den One', 'switch #den Two']);
  });

  it('brings a long text of many lines, whole and in order', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('#den');
    assert.ok(irc.text);
    const text = `${'A sentence that is not short. '.repeat(20)}\r\n\n👨‍👩‍👧‍👦${'é'.repeat(300)}\nend`;
    const parts = split(text, irc.text);
    assert.ok(parts.length > 4);
    for (const part of parts) assertOutcome(await link.send('#den', part), SENT);
    await bob.hears(/PRIVMSG/, parts.length);
    assert.deepEqual(
      bob.messages,
      parts.map((part) => `switch #den ${part}`),
    );
  });

  it('brings every script, emoji, and what looks like a command, as it was', async () => {
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
    await bob.hears(/PRIVMSG/, texts.length);
    assert.deepEqual(
      bob.messages,
      texts.map((text) => `switch bob ${text}`),
    );
  });

  it('says each line by itself, and lets none make a command of itself', async () => {
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
    const said = ['a', 'QUIT :Bye', 'b', 'PRIVMSG bob :forged', 'c', 'QUIT', 'dQUIT'];
    await bob.hears(/PRIVMSG/, said.length + 2);
    assert.deepEqual(
      bob.messages,
      [...said, 'VERSION', 'e04f'].map((line) => `switch bob ${line}`),
    );
  });

  it('says who is not there', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    assertOutcome(await link.send('nobody', 'Hello?'), {
      outcome: 'permanent',
      blame: 'recipient',
      code: '401',
    });
  });

  it('says which channels it may not join, or not speak in', async () => {
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

  it('takes another nick when its own is in use', async () => {
    await using server = await startNgircd();
    await server.visitor('switch');
    const bob = await server.visitor('bob');
    await using link = open(server);
    assertOutcome(await link.send('bob', 'It is me'), SENT);
    await bob.hears(/PRIVMSG/);
    assert.deepEqual(bob.messages, ['switch_ bob It is me']);
  });

  it('needs the password of the server', async () => {
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
    await bob.hears(/PRIVMSG/);
  });

  it('comes back, and to its channel too, when the server was started anew', async () => {
    await using server = await startNgircd();
    await using link = open(server);
    assertOutcome(await link.send('#den', 'One'), SENT);
    await server.restart();
    const bob = await server.visitor('bob');
    await bob.join('#den');
    // Whether it has noticed the end by now or not, nothing is lost and nothing is doubled.
    const first = await link.send('#den', 'Two');
    if (first.outcome !== 'sent') {
      assert.equal(first.outcome, 'transient');
      assertOutcome(await link.send('#den', 'Two'), SENT);
    }
    await bob.hears(/PRIVMSG/);
    assert.deepEqual(bob.messages, ['switch #den Two']);
  });

  it('says that nobody listens where nobody does', async () => {
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
    const kind = slowsDown ? 'makes it wait' : 'lets it talk';
    it(`is not thrown out, and loses nothing, when there is much to say and the server ${kind}`, async () => {
      await using server = await startNgircd({ slowsDown });
      await using link = open(server);
      const bob = await server.visitor('bob');
      const texts = Array.from({ length: count }, (_, at) => `Number ${at} ${'x'.repeat(300)}`);
      const results = await Promise.all(texts.map((text) => link.send('bob', text)));
      assert.ok(results.every(({ outcome }) => outcome === 'sent'));
      await bob.hears(/PRIVMSG/, texts.length);
      assert.deepEqual(
        bob.messages,
        texts.map((text) => `switch bob ${text}`),
      );
    });
  }

  it('is known by its nick, and leaves after the question', async () => {
    await using server = await startNgircd();
    const bob = await server.visitor('bob');
    await using link = open(server);
    assertOutcome(await link.check(), { outcome: 'known', as: 'switch' });
    // Asked again and again, for it takes a moment.
    for (let asked = 1; !bob.lines.some((line) => / 401 bob switch /.test(line)); asked++) {
      bob.say('WHOIS switch');
      assert.ok(asked < 1000, 'it is still there');
      await bob.hears(/ 318 bob switch /, asked);
    }
  });

  it('leaves when its integration is let go, and stays until then', async () => {
    await using server = await startNgircd();
    const bob = await server.visitor('bob');
    await bob.join('#den');
    const link = open(server);
    await link.send('#den', 'Hello');
    await link.check();
    await link.send('#den', 'Still here');
    assert.ok(!bob.lines.some((line) => line.startsWith(':switch!') && line.includes(' QUIT')));
    await link[Symbol.asyncDispose]();
    const goodbye = await bob.hears(/^:switch!\S+ QUIT/);
    assert.doesNotMatch(goodbye, /closed connection/, 'it left without a word');
  });
});

describe('irc, over one connection,', () => {
  it('registers once, and joins each channel once', async () => {
    const peer = await openIrc();
    const link = open({ address: peer.url });
    for (const recipient of ['#a', '#b', '#A', 'bob', '#b']) {
      assertOutcome(await link.send(recipient, 'Hello'), SENT);
    }
    await link[Symbol.asyncDispose]();
    await peer.close();
    const spoken = peer.seen.filter((line) => /^(?:NICK|JOIN|PRIVMSG)/.test(line));
    assert.deepEqual(spoken, [
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
