import type { Socket } from 'node:net';

import { foldName, parseIrcLine } from '../../../channels/irc/line.ts';
import type { Session, SessionRefusal, SessionReport } from '../../session.ts';
import { onLines } from '../../wire/lines.ts';
import { readCodes } from './codes.ts';

/*
 * An IRC server with one user per connection; all others are simulated. https://modern.ircdocs.horse/
 * It knows what a bot needs: registration with a password by PASS or SASL PLAIN, channels, messages and notices, and
 * IRCv3 message tags with ids and times.
 */

interface IrcServerOptions {
  /** Required to register, if given. */
  password?: string;
  /** The members of every channel. */
  members?: readonly string[];
  /** Whether it is an old server, without IRCv3 and SASL. */
  isOld?: boolean;
}

const NAME = 'irc.sandbox.test';
const MAX_LINE_BYTES = 512;
/** With message tags. https://ircv3.net/specs/extensions/message-tags#size-limit */
const MAX_TAGGED_LENGTH = 8_703;
const MAX_CHANNELS = 250;
const NICK = /^[^\s,:$#&+!@*?.\d~%\p{Cc}-][^\s,!@*?.\p{Cc}]{0,63}$/u;
const CHANNEL = /^[#&+!][^\s,:\p{Cc}]{1,199}$/u;
const CAPABILITIES = ['message-tags', 'server-time'];

export function serveIrc(socket: Socket, session: Session, options: IrcServerOptions = {}): void {
  const connection = new IrcConnection(socket, session, options);
  onLines(socket, MAX_TAGGED_LENGTH, (line) => connection.receive(line));
}

class IrcConnection {
  readonly #socket: Socket;
  readonly #session: Session;
  readonly #options: IrcServerOptions;
  readonly #channels = new Map<string, string>();
  readonly #capabilities = new Set<string>();
  #nick: string | undefined;
  #user: string | undefined;
  #password: string | undefined;
  #isNegotiating = false;
  #isAuthenticating = false;
  #isRegistered = false;

  constructor(socket: Socket, session: Session, options: IrcServerOptions) {
    this.#socket = socket;
    this.#session = session;
    this.#options = options;
  }

  async receive(text: string): Promise<void> {
    if (text === '') return;
    if (Buffer.byteLength(text) > MAX_LINE_BYTES - 2 && !text.startsWith('@')) {
      return this.#reply('417', ':Input line was too long');
    }
    const { command, params } = parseIrcLine(text);
    const [first = '', second] = params;
    switch (command) {
      case 'CAP':
        return this.#options.isOld
          ? this.#reply('421', 'CAP :Unknown command')
          : this.#negotiate(first.toUpperCase(), params.at(-1) ?? '');
      case 'AUTHENTICATE':
        return this.#authenticate(first);
      case 'PASS':
        this.#password = first;
        return;
      case 'NICK':
        return this.#takeNick(first);
      case 'USER':
        this.#user = first;
        return this.#register();
      case 'PING':
        return this.#say(`PONG ${NAME} :${first}`);
      case 'PONG':
        return;
      case 'QUIT':
        this.#say(`ERROR :Closing Link: ${this.#nick ?? '*'} (Quit: ${first})`, '');
        this.#socket.destroySoon();
        return;
      default:
    }
    if (!this.#isRegistered) return this.#reply('451', ':You have not registered');
    switch (command) {
      case 'JOIN':
        for (const channel of first.split(',')) this.#join(channel);
        return;
      case 'PART':
        for (const channel of first.split(',')) this.#part(channel);
        return;
      case 'PRIVMSG':
      case 'NOTICE':
        return this.#deliver(command, first, second);
      default:
        return this.#reply('421', `${command} :Unknown command`);
    }
  }

  /** https://ircv3.net/specs/extensions/capability-negotiation */
  #negotiate(command: string, names: string): void {
    const offered = [
      ...CAPABILITIES,
      ...(this.#options.password === undefined ? [] : ['sasl=PLAIN']),
    ];
    if (command === 'LS') {
      this.#isNegotiating = !this.#isRegistered;
      this.#say(`CAP ${this.#nick ?? '*'} LS :${offered.join(' ')}`);
    } else if (command === 'REQ') {
      const wanted = names.split(' ').filter((name) => name !== '');
      const known = new Set(offered.map((name) => name.replace(/=.*$/, '')));
      const isKnown = wanted.every((name) => known.has(name));
      if (isKnown) for (const name of wanted) this.#capabilities.add(name);
      this.#say(`CAP ${this.#nick ?? '*'} ${isKnown ? 'ACK' : 'NAK'} :${names}`);
    } else if (command === 'END') {
      this.#isNegotiating = false;
      void this.#register();
    }
  }

  /** https://ircv3.net/specs/extensions/sasl-3.1 */
  #authenticate(argument: string): void {
    if (!this.#capabilities.has('sasl')) return this.#reply('904', ':SASL authentication failed');
    if (!this.#isAuthenticating) {
      if (argument !== 'PLAIN') return this.#reply('904', ':SASL authentication failed');
      this.#isAuthenticating = true;
      return this.#say('AUTHENTICATE +', '');
    }
    this.#isAuthenticating = false;
    const [, name = '', password] = Buffer.from(argument, 'base64').toString().split('\0');
    if (password !== this.#options.password) {
      return this.#reply('904', ':SASL authentication failed');
    }
    this.#password = password;
    this.#reply('900', `${this.#nick ?? '*'}!u@h ${name} :You are now logged in as ${name}`);
    this.#reply('903', ':SASL authentication successful');
  }

  #takeNick(nick: string): void {
    if (nick === '') return this.#reply('431', ':No nickname given');
    if (!NICK.test(nick)) return this.#reply('432', `${nick} :Erroneous nickname`);
    const isTaken = this.#options.members?.some((each) => foldName(each) === foldName(nick));
    if (isTaken) return this.#reply('433', `${nick} :Nickname is already in use`);
    if (this.#isRegistered) this.#say(`NICK :${nick}`, this.#self);
    this.#nick = nick;
    void this.#register();
  }

  async #register(): Promise<void> {
    const [nick, user] = [this.#nick, this.#user];
    if (nick === undefined || user === undefined || this.#isNegotiating) return;
    if (this.#isRegistered) return;
    this.#isRegistered = true;
    const { password } = this.#options;
    const isRight = password === undefined || this.#password === password;
    if (!isRight || !(await this.#session.admits())) {
      this.#reply('464', ':Password incorrect');
      this.#say('ERROR :Closing Link: (Bad Password)', '');
      this.#socket.destroySoon();
      return;
    }
    this.#reply('001', `:Welcome to the sandbox, ${nick}`);
    this.#reply('002', `:Your host is ${NAME}`);
    this.#reply('004', `${NAME} sandbox o o`);
    this.#reply('005', 'CASEMAPPING=rfc1459 CHANTYPES=#&+! :are supported by this server');
    this.#reply('422', ':MOTD File is missing');
    this.#session.follow((report) => this.#report(report));
  }

  #join(channel: string): void {
    if (!CHANNEL.test(channel)) return this.#reply('403', `${channel} :No such channel`);
    if (this.#channels.has(foldName(channel))) return;
    if (this.#channels.size >= MAX_CHANNELS) {
      return this.#reply('405', `${channel} :You have joined too many channels`);
    }
    this.#channels.set(foldName(channel), channel);
    this.#say(`JOIN ${channel}`, this.#self);
    const names = [this.#nick ?? '', ...(this.#options.members ?? [])].join(' ');
    this.#reply('353', `= ${channel} :${names}`);
    this.#reply('366', `${channel} :End of /NAMES list`);
  }

  #part(channel: string): void {
    if (!this.#channels.delete(foldName(channel))) {
      return this.#reply('442', `${channel} :You're not on that channel`);
    }
    this.#say(`PART ${channel}`, this.#self);
  }

  async #deliver(command: string, target: string, text: string | undefined): Promise<void> {
    if (target === '') return this.#reply('411', `:No recipient given (${command})`);
    if (text === undefined || text === '') return this.#reply('412', ':No text to send');
    const isChannel = CHANNEL.test(target);
    if (isChannel && !this.#channels.has(foldName(target))) {
      return this.#reply('404', `${target} :Cannot send to channel`);
    }
    if (!isChannel && !NICK.test(target))
      return this.#reply('401', `${target} :No such nick/channel`);
    const { refusal, seconds } = await this.#session.take(target, () =>
      this.#session.phone.show(target, readCodes(text), String),
    );
    if (refusal) this.#refuse(refusal, target, seconds);
  }

  #refuse(refusal: SessionRefusal, target: string, seconds: number): void {
    switch (refusal) {
      case 'blocked':
        return CHANNEL.test(target)
          ? this.#reply('404', `${target} :Cannot send to channel (+b)`)
          : this.#reply('716', `${target} :is in +g mode (server-side ignore)`);
      case 'unknown':
        return this.#reply('401', `${target} :No such nick/channel`);
      case 'limited':
        return this.#reply('439', `${target} :Target change too fast. Wait ${seconds} seconds`);
      case 'server_error':
      case 'unavailable':
        return this.#reply('437', `${target} :Nick/channel is temporarily unavailable`);
      case 'credentials':
        this.#say('ERROR :Closing Link: (K-lined)', '');
        this.#socket.destroySoon();
        return;
      case 'lost':
        this.#socket.destroy();
    }
  }

  #report({ kind, person, room, entry }: SessionReport): void {
    const from = `${person.address}!${person.address}@sandbox.test`;
    if (room && !this.#channels.has(foldName(room.address))) return;
    if (kind === 'join' && room) this.#say(`JOIN ${room.address}`, from);
    if (kind === 'leave' && room) this.#say(`PART ${room.address}`, from);
    if (kind !== 'message') return;
    const { text = '', media = [] } = entry.entry;
    // There are no files on IRC: people send links.
    const links = media.map(({ name = '' }) => `https://sandbox.test/${encodeURIComponent(name)}`);
    const lines = [...text.split(/[\r\n]+/), ...links].filter((line) => line !== '');
    for (const [i, line] of lines.entries()) {
      const tags = [
        ...(this.#capabilities.has('server-time')
          ? [`time=${new Date(entry.createdAt).toISOString()}`]
          : []),
        ...(this.#capabilities.has('message-tags') ? [`msgid=${entry.number}-${i}`] : []),
      ];
      const tagged = tags.length === 0 ? '' : `@${tags.join(';')} `;
      this.#write(`${tagged}:${from} PRIVMSG ${room?.address ?? this.#nick} :${line}`);
    }
  }

  get #self(): string {
    return `${this.#nick}!${this.#user}@sandbox.test`;
  }

  #reply(numeric: string, rest: string): void {
    this.#say(`${numeric} ${this.#nick ?? '*'} ${rest}`);
  }

  #say(text: string, from: string = NAME): void {
    this.#write(from === '' ? text : `:${from} ${text}`);
  }

  #write(line: string): void {
    // A line must not contain another.
    const one = line.replaceAll(/[\r\n\0]+/g, ' ');
    if (!this.#socket.destroyed) this.#socket.write(`${one}\r\n`);
  }
}
