import type { Socket } from 'node:net';

import type { Client } from 'irc-framework';

import { Inbox } from '../../lib/runtime/inbox.ts';
import { IrcReader, type IrcInbound } from './inbound.ts';
import { type IrcLine, foldName } from './line.ts';
import { transportOver } from './socket.ts';

/*
 * One connection to an IRC server, from registration to its end. https://modern.ircdocs.horse/#connection-setup
 * IRC reports errors but does not confirm messages. Servers respond in order, so a PING follows each command, and the
 * errors received before its PONG are the response.
 */

export interface IrcLogin {
  nick: string;
  /** Sent as the server password, and as SASL PLAIN for the nick's account if the server offers SASL. */
  password?: string;
}

/** The server refused us or closed the connection. */
export class IrcFault extends Error {
  override name = 'IrcFault';
  /** The numeric, or `ERROR`; undefined without a reply. */
  readonly code: string | undefined;
  /** Whether a command was written without a response. */
  readonly maybeSent: boolean;

  constructor(message: string, code: string | undefined, maybeSent: boolean) {
    super(message);
    this.code = code;
    this.maybeSent = maybeSent;
  }
}

/** Numerics that end a registration: wrong passwords, bans, invalid names. */
const REFUSALS = new Set(['432', '463', '464', '465', '466', '484', '902', '904', '905']);
/** In use, in a collision, or temporarily held back. */
export const NICK_TAKEN: ReadonlySet<string> = new Set(['433', '436', '437']);
/**
 * Appended to the configured nick, or replacing its end if it is long, since servers refuse nicks over their limit.
 */
const SUFFIXES = ['_', '__', '_2', '_3'];
/** The length that every server allows: https://www.rfc-editor.org/rfc/rfc2812#section-1.2.1 */
const SHORTEST_NICK_LIMIT = 9;
const ERRONEOUS = '432';

/** Errors, and 263 (try again later). Other replies may be long, such as member lists. */
const ERRORS = /^(?:263|[4-9]\d\d)$/;
/** Maximum size of the errors collected for one command, in characters. */
const MAX_ERRORS_LENGTH = 64 * 1024;
/** Servers limit clients to some 250 channels. */
const MAX_JOINED_CHANNELS = 250;
const MAX_NAME_LENGTH = 200;
/** Maximum size of received messages not yet processed, in characters, including overhead. */
const MAX_INBOX_LENGTH = 2 * 1024 * 1024;
const ENTRY_OVERHEAD = 400;
/** Milliseconds to wait for the server to read QUIT. */
const QUIT_TIMEOUT_MS = 5000;

export class IrcSession {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #joined = new Set<string>();
  readonly #registered = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<never>();
  readonly #reader = new IrcReader();
  /** Messages received since the connection was opened. */
  readonly received = new Inbox<IrcInbound>(
    MAX_INBOX_LENGTH,
    (received) => ENTRY_OVERHEAD + ('text' in received ? received.text.length : 0),
  );
  #nick: string;
  readonly #configured: string;
  #alternatives = 0;
  #pings = 0;
  /** The last command, without a response so far. */
  #pending:
    | { token: string; lines: IrcLine[]; size: number; done(lines: IrcLine[]): void }
    | undefined;
  /** The server's last error. */
  #lastError: { code?: string; text: string } | undefined;
  #open = true;

  private constructor(Library: typeof Client, socket: Socket, login: IrcLogin) {
    this.#socket = socket;
    this.#nick = this.#configured = login.nick;
    // Prevents an unhandled rejection when nobody waits.
    this.#closed.promise.catch(() => {});
    this.#client = new Library({
      nick: login.nick,
      username: login.nick.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 9) || 'switchboard',
      gecos: login.nick,
      version: 'Switchboard',
      ...(login.password !== undefined && { password: login.password }),
      auto_reconnect: false,
      ping_interval: 60,
      ping_timeout: 120,
      transport: transportOver(socket, {
        onLine: (line) => this.#receive(line),
        limitExceeded: (what) => this.#giveUp(what),
      }),
    });
    this.#client.on('close', () => this.#end());
    this.#client.connect();
  }

  /** Registers over a socket. Rejects with an IrcFault, after closing the socket. */
  static async open(socket: Socket, login: IrcLogin, signal: AbortSignal): Promise<IrcSession> {
    // Imported on first use, to save startup time and memory.
    const { default: irc } = await import('irc-framework');
    const session = new IrcSession(irc.Client, socket, login);
    await session.#until(session.#registered.promise, signal);
    return session;
  }

  get nick(): string {
    return this.#nick;
  }

  get open(): boolean {
    return this.#open;
  }

  /** Rejects with an IrcFault when the connection ends. */
  get ended(): Promise<never> {
    return this.#closed.promise;
  }

  hasJoined(channel: string): boolean {
    return this.#joined.has(foldName(channel));
  }

  /** Writes a line and returns the errors in response. Rejects with an IrcFault when the connection ends first. */
  async command(line: string, signal: AbortSignal): Promise<IrcLine[]> {
    if (!this.#open) throw new IrcFault('the connection ended', undefined, false);
    const { promise, resolve } = Promise.withResolvers<IrcLine[]>();
    const token = `switchboard-${++this.#pings}`;
    this.#lastError = undefined;
    this.#pending = { token, lines: [], size: 0, done: resolve };
    this.#client.raw(line);
    this.#client.raw(`PING :${token}`);
    return this.#until(promise, signal);
  }

  quit(): void {
    if (this.#open) this.#client.quit();
    this.#end();
  }

  async #until<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
    const late = Promise.withResolvers<never>();
    const onAbort = () => {
      late.reject(new IrcFault('the server did not answer in time', undefined, this.#isPending));
      // A late response would be matched to the wrong command.
      this.#socket.destroy();
      this.#end();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    try {
      return await Promise.race([late.promise, value, this.#closed.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  get #isPending(): boolean {
    return this.#pending !== undefined;
  }

  #end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#socket.destroySoon();
    setTimeout(() => this.#socket.destroy(), QUIT_TIMEOUT_MS).unref();
    const { code, text = 'the server closed the connection' } = this.#lastError ?? {};
    this.#closed.reject(new IrcFault(text, code, this.#isPending));
  }

  /** Replaces any earlier server error as the reason why the connection ended. */
  #giveUp(why: string): void {
    if (this.#open) this.#lastError = { text: why };
    this.#refuse();
  }

  #refuse(): void {
    this.#socket.destroy();
    this.#end();
  }

  #receive(line: IrcLine): void {
    const { command, params } = line;
    const pending = this.#pending;
    if (pending && command === 'PONG' && params.at(-1) === pending.token) {
      this.#pending = undefined;
      pending.done(pending.lines);
      return;
    }
    if (pending && ERRORS.test(command)) {
      pending.lines.push(line);
      pending.size += command.length + params.join(' ').length;
      if (pending.size > MAX_ERRORS_LENGTH) return this.#giveUp('the response is too long');
    }
    this.#noteError(line);
    if (command === '001') {
      this.#nick = params[0] ?? this.#nick;
      this.#registered.resolve();
      return;
    }
    for (const received of this.#reader.readLine(line, this.#nick)) {
      if (received.what === 'ignored') this.received.offer(received);
      else this.received.put(received);
    }
    this.#follow(line);
  }

  /** Remembers a possible reason for the end of the connection. */
  #noteError({ command, params }: IrcLine): void {
    // An error about a nick that we made up says nothing about the configured one.
    const isMadeUp = command === ERRONEOUS && this.#alternatives > 0;
    const isRefusal = REFUSALS.has(command) && !isMadeUp;
    const isTaken = (NICK_TAKEN.has(command) || isMadeUp) && !this.#isPending;
    // An ERROR after a specific error adds nothing.
    const isFarewell = command === 'ERROR' && this.#lastError === undefined;
    if (!isRefusal && !isTaken && !isFarewell) return;
    this.#lastError = { code: isMadeUp ? '433' : command, text: params.at(-1) ?? '' };
    if (isTaken) this.#tryNextNick();
    else if (isRefusal && !this.#isPending) this.#refuse();
  }

  #tryNextNick(): void {
    const suffix = SUFFIXES[this.#alternatives++];
    if (suffix === undefined) return this.#refuse();
    this.#lastError = undefined;
    const max = Math.max(this.#configured.length, SHORTEST_NICK_LIMIT);
    this.#nick = this.#configured.slice(0, max - suffix.length) + suffix;
    this.#client.changeNick(this.#nick);
  }

  /** Tracks our channels and our nick. */
  #follow({ from, command, params: [first = '', second = ''] }: IrcLine): void {
    const isOurs = foldName(from) === foldName(this.#nick);
    if (command === 'JOIN' && isOurs) this.#remember(foldName(first));
    else if (command === 'PART' && isOurs) this.#joined.delete(foldName(first));
    else if (command === 'NICK' && isOurs) this.#nick = first;
    else if (command === 'KICK' && foldName(second) === foldName(this.#nick)) {
      this.#joined.delete(foldName(first));
    }
  }

  #remember(channel: string): void {
    if (channel.length > MAX_NAME_LENGTH) return;
    // A forgotten channel is joined again before the next message to it.
    const [oldest] = this.#joined;
    if (this.#joined.size >= MAX_JOINED_CHANNELS && oldest !== undefined)
      this.#joined.delete(oldest);
    // A copy: a slice would keep the whole received buffer in memory.
    this.#joined.add(Buffer.from(channel).toString());
  }
}
