import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { describe, it } from 'node:test';

import { serveImap } from '../../src/sandbox/vendors/email/imap.ts';
import { messageIdOf } from '../../src/sandbox/vendors/email/mails.ts';
import { serveIrc } from '../../src/sandbox/vendors/irc/server.ts';
import { serveXmpp } from '../../src/sandbox/vendors/xmpp/server.ts';
import {
  DOVECOT,
  PASSWORD as MAIL_PASSWORD,
  USER,
  startDovecot,
} from '../emulators/real/dovecot.ts';
import { NGIRCD, startNgircd } from '../emulators/real/ngircd.ts';
import {
  PASSWORD as XMPP_PASSWORD,
  PROSODY,
  ROOMS,
  startProsody,
} from '../emulators/real/prosody.ts';
import { MemorySession } from '../emulators/server/memory-session.ts';
import { listenRaw } from '../emulators/server/raw.ts';
import { until } from '../support/until.ts';

/*
 * The simulated servers answer like real ones: the same lines to ngircd, Dovecot and Prosody and to the simulators, by
 * a client that we do not have: it makes every mistake that they must notice.
 */

/** A connection that writes raw text. */
class Talk {
  readonly #socket: Socket;
  #text = '';
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => (this.#text += bytes.toString()));
    socket.on('error', () => {});
    socket.on('close', () => (this.#isClosed = true));
  }

  static async open(port: number): Promise<Talk> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Talk(socket);
  }

  /** Writes a text; returns what arrives up to this pattern. */
  async ask(text: string, end: RegExp): Promise<string> {
    this.#socket.write(text);
    const found = await until(`an answer to ${text}`, () => end.exec(this.#text) ?? undefined);
    const length = found.index + found[0].length;
    const answer = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    return answer;
  }

  /** What arrived until the server closed the connection. */
  async rest(): Promise<string> {
    await until('the server closes the connection', () => this.#isClosed);
    return this.#text;
  }

  close(): void {
    this.#socket.destroy();
  }
}

describe('a simulated IRC server answers like ngircd', { skip: NGIRCD.skip }, () => {
  const LINES = [
    'NICK 1st',
    'NICK bob',
    'FOO',
    'JOIN #den',
    'PRIVMSG #den :Hi',
    'PRIVMSG #den',
    'PRIVMSG',
    'JOIN den',
    'NICK other',
    'PART #den',
    'PART #den',
  ];
  /** Information after registration and joining, which differs between servers. */
  const VARIES = /^(?:00\d|25\d|26\d|37\d|422|NOTICE|PING|PONG)$/;
  const commandsIn = (text: string) =>
    text
      .split('\r\n')
      .map((line) => /^(?::\S+ )?(\w+)/.exec(line)?.[1] ?? '')
      .filter((command) => command !== '' && !VARIES.test(command));

  async function answersOf(port: number): Promise<string[]> {
    const talk = await Talk.open(port);
    const early = await talk.ask('PRIVMSG bob :Hi\r\n', / 451 .*\r\n/);
    await talk.ask('NICK switch\r\nUSER switch 0 * :switch\r\n', / (?:376|422) .*\r\n/);
    const answers = [`(early) ${commandsIn(early).join()}`];
    for (const [i, line] of LINES.entries()) {
      const answer = await talk.ask(
        `${line}\r\nPING :mark-${i}\r\n`,
        new RegExp(`PONG .*mark-${i}\r\n`),
      );
      answers.push(`${line} → ${commandsIn(answer).join()}`);
    }
    talk.close();
    return answers;
  }

  /** Other servers also say 464. */
  async function refusalOf(port: number): Promise<string | undefined> {
    const talk = await Talk.open(port);
    await talk.ask('PASS wrong\r\nNICK switch\r\nUSER switch 0 * :switch\r\n', /^ERROR /m);
    await talk.rest();
    return 'ERROR';
  }

  it('a simulated IRC server answers commands of a user like ngircd', async () => {
    await using real = await startNgircd();
    const bob = await real.visitor('bob');
    await bob.join('#den');
    await using simulated = await listenRaw((socket) =>
      serveIrc(socket, new MemorySession(), { members: ['bob'], isOld: true }),
    );
    assert.deepEqual(await answersOf(simulated.port), await answersOf(real.port));
  });

  it('a simulated IRC server answers a wrong password like ngircd', async () => {
    await using real = await startNgircd({ password: 'right' });
    await using simulated = await listenRaw((socket) =>
      serveIrc(socket, new MemorySession(), { password: 'right', isOld: true }),
    );
    assert.deepEqual(await refusalOf(simulated.port), await refusalOf(real.port));
  });
});

describe('a simulated mailbox answers like Dovecot', { skip: DOVECOT.skip }, () => {
  const proof = Buffer.from(`\0${USER}\0${MAIL_PASSWORD}`).toString('base64');
  const LINES = [
    'SELECT INBOX',
    `LOGIN ${USER} wrong`,
    'AUTHENTICATE FOO',
    `AUTHENTICATE PLAIN ${proof}`,
    'UID SEARCH UID 1:*',
    'EXAMINE Nope',
    'EXAMINE INBOX',
    'UID SEARCH UID 1:*',
    'UID SEARCH UID 2:*',
    'UID SEARCH FOO 1',
    'UID FETCH x (UID)',
    'UID FETCH 1 (FOO)',
    'UID FETCH 7 (FOO)',
    'UID FETCH 7 (UID)',
    'FOO',
    'NOOP',
  ];
  /** The status and its code, and the answers that a client reads. */
  const inBrief = (text: string) => {
    const [, status, code = ''] = /^t\d+ (OK|NO|BAD)(?: (\[[A-Z-]+\]))?/m.exec(text) ?? [];
    const search = /^\* SEARCH.*$/m.exec(text)?.[0].trim() ?? '';
    return [status, /READ-ONLY|FAILED/.test(code) ? code : '', search].join(' ').trim();
  };

  /** After some of these, Dovecot closes the connection. */
  const MALFORMED = ['LOGIN', `LOGIN ${USER}`, `LOGIN ${USER} wrong more`];

  async function answersOf(port: number): Promise<string[]> {
    const answers: string[] = [];
    for (const line of MALFORMED) {
      const talk = await Talk.open(port);
      await talk.ask('', /^\* OK.*\r\n/);
      answers.push(`${line} → ${inBrief(await talk.ask(`t0 ${line}\r\n`, /^t0 .*\r\n/m))}`);
      talk.close();
    }
    const talk = await Talk.open(port);
    await talk.ask('', /^\* OK.*\r\n/);
    for (const [i, line] of LINES.entries()) {
      const answer = await talk.ask(`t${i} ${line}\r\n`, new RegExp(`^t${i} .*\r\n`, 'm'));
      answers.push(`${line} → ${inBrief(answer)}`);
    }
    const items = '(UID RFC822.SIZE INTERNALDATE BODY.PEEK[]<0.10>)';
    const mail = await talk.ask(`t98 UID FETCH 1 ${items}\r\n`, /^t98 .*\r\n/m);
    assert.match(mail, /^\* 1 FETCH \(/);
    for (const item of [
      /\bUID 1\b/,
      /\bRFC822\.SIZE \d+/,
      /\bINTERNALDATE "[ \d]\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d [+-]\d{4}"/,
      /\bBODY\[\]<0> \{10\}\r\n/,
    ]) {
      assert.match(mail, item);
    }
    await talk.ask('t99 IDLE\r\n', /^\+ .*\r\n/m);
    answers.push(inBrief(await talk.ask('DONE\r\n', /^t99 .*\r\n/m)));
    await talk.ask('t100 LOGOUT\r\n', /^\* BYE[^]*^t100 OK.*\r\n/m);
    await talk.rest();
    return answers;
  }

  it('a simulated mailbox answers each command, in each state, like Dovecot', async () => {
    await using real = await startDovecot({ lines: ['auth_failure_delay = 0'] });
    await real.deliver('From: ada@example.org\r\nSubject: Hi\r\n\r\nGood morning!\r\n');
    const session = new MemorySession();
    session.phone.entries.push({
      number: 1,
      person: 'ada@example.org',
      author: 'person',
      vendorId: messageIdOf(1),
      createdAt: Date.UTC(2026, 10, 15),
      entry: { kind: 'message', text: 'Good morning!' },
    });
    await using simulated = await listenRaw((socket) =>
      serveImap(socket, session, { login: { user: USER, password: MAIL_PASSWORD } }),
    );
    assert.deepEqual(await answersOf(simulated.port), await answersOf(real.port));
  });
});

describe('a simulated XMPP server answers like Prosody', { skip: PROSODY.skip }, () => {
  const STREAM =
    "<?xml version='1.0'?><stream:stream to='localhost' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";
  const FEATURES = /<\/stream:features>/;
  const auth = (mechanism: string, proof: string) =>
    `<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='${mechanism}'>${Buffer.from(proof).toString('base64')}</auth>`;
  const LOGIN = auth('PLAIN', `\0bot\0${XMPP_PASSWORD}`);
  const room = (nick: string) =>
    `<presence id='p-${nick}' to='den@${ROOMS}/${nick}'><x xmlns='http://jabber.org/protocol/muc'/></presence>`;
  const talkTo = (id: string, name: string) =>
    `<message id='${id}' type='groupchat' to='${name}@${ROOMS}'><body>Hi</body></message>`;
  const CONDITION =
    /<([a-z]+(?:-[a-z]+)+|conflict)(?: xmlns=["']urn:ietf:params:xml:ns:xmpp-(?:stanzas|streams|sasl)["'])?\s*\/>/;

  /** The types of errors differ between servers. */
  const inBrief = (text: string) => CONDITION.exec(text)?.[1] ?? '';

  async function loggedIn(port: number): Promise<Talk> {
    const talk = await Talk.open(port);
    await talk.ask(STREAM, FEATURES);
    await talk.ask(LOGIN, /<success[^>]*>/);
    await talk.ask(STREAM, FEATURES);
    const bind = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>";
    await talk.ask(
      `<iq type='set' id='b'>${bind}</iq>`,
      /<jid>bot@localhost\/[^<]+<\/jid>.*<\/iq>/,
    );
    return talk;
  }

  async function answersOf(port: number): Promise<string[]> {
    const answers: string[] = [];
    const early = await Talk.open(port);
    assert.match(await early.ask(STREAM, FEATURES), /<mechanism>PLAIN<\/mechanism>/);
    answers.push(inBrief(await early.ask(auth('FOO', ''), /<\/failure>/)));
    answers.push(inBrief(await early.ask(auth('PLAIN', '\0bot\0wrong'), /<\/failure>/)));
    early.close();

    const talk = await loggedIn(port);
    const ping = "<iq type='get' id='1'><ping xmlns='urn:xmpp:ping'/></iq>";
    await talk.ask(ping, /<iq [^>]*type=["']result["'][^>]*>/);
    const query = "<iq type='get' id='2' to='localhost'><query xmlns='jabber:iq:unknown'/></iq>";
    answers.push(inBrief(await talk.ask(query, /<\/iq>/)));
    answers.push(inBrief(await talk.ask(talkTo('m1', 'den'), /<\/message>/)));
    answers.push(inBrief(await talk.ask(room('ada'), /<\/presence>/)));
    const joined = await talk.ask(room('bot'), /<status code=["']110["']\s*\/>.*<\/presence>/);
    assert.match(joined, new RegExp(`from=["']den@${ROOMS}/ada["']`));
    const echo = await talk.ask(talkTo('m2', 'den'), /<body>Hi<\/body>[^]*?<\/message>/);
    assert.match(echo, /id=["']m2["']/);
    answers.push(inBrief(await talk.ask('<foo/>', /<\/stream:error>/)));
    await talk.rest();

    const broken = await loggedIn(port);
    answers.push(inBrief(await broken.ask('<message><body></message>', /<\/stream:error>/)));
    await broken.rest();
    return answers;
  }

  it('a simulated XMPP server answers logins, stanzas and mistakes like Prosody', async () => {
    await using real = await startProsody(['bot', 'ada']);
    const ada = await real.visitor('ada');
    await ada.join('den');
    await using simulated = await listenRaw((socket) =>
      serveXmpp(socket, new MemorySession(), {
        jid: 'bot@localhost',
        password: XMPP_PASSWORD,
        isRoom: (bare) => bare.endsWith(`@${ROOMS}`),
        occupants: ['ada'],
      }),
    );
    assert.deepEqual(await answersOf(simulated.port), await answersOf(real.port));
  });
});
