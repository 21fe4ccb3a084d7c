import { type Socket, isIP } from 'node:net';
import { connect as secure } from 'node:tls';

import { certificateFault } from '../../lib/net/certificate.ts';
import { type Clock, systemClock } from '../../lib/runtime/clock.ts';
import { ImapReader, type ImapResponse, type ImapValue, valuesIn } from './imap-response.ts';

/*
 * A read-only connection to a mailbox. https://www.rfc-editor.org/rfc/rfc9051
 * One command at a time. The server announces new emails while we wait (IDLE,
 * https://www.rfc-editor.org/rfc/rfc2177), or we poll.
 */

export interface ImapOptions {
  host: string;
  /** Whether the connection began with TLS. */
  isSecure: boolean;
  /** Whether nobody can eavesdrop, so that the connection needs neither TLS nor a valid certificate. */
  trustsWire: boolean;
  login: { user: string } & ({ password: string } | { accessToken: string });
}

/** The server refused us or closed the connection, or we closed it. */
export class ImapFault extends Error {
  override name = 'ImapFault';
  /** The response code, or NO, BAD, BYE; undefined without a response. */
  readonly code: string | undefined;
  /** Whether retrying cannot help. */
  readonly isLasting: boolean;
  readonly isLogin: boolean;
  /** Whether the server answered a command with NO. */
  readonly isRefusal: boolean;

  constructor(
    message: string,
    more: { code?: string; isLasting?: boolean; isLogin?: boolean; isRefusal?: boolean },
  ) {
    super(message);
    this.code = more.code;
    this.isLasting = more.isLasting ?? false;
    this.isLogin = more.isLogin ?? false;
    this.isRefusal = more.isRefusal ?? false;
  }
}

export interface FetchedEmail {
  bytes: Buffer;
  /** Full size; fewer bytes may have been fetched. */
  size: number;
  /** When it arrived, in milliseconds since 1970. */
  at?: number;
}

/** Maximum size of a response: an email and its overhead. */
const MAX_RESPONSE_BYTES = 33 * 1024 * 1024;
const MAX_RESPONSES = 10_000;
/** Milliseconds to wait for a response, and for the logout. */
const RESPONSE_TIMEOUT_MS = 60_000;
const LOGOUT_TIMEOUT_MS = 5000;
/** Maximum duration of one IDLE; the polling interval for servers without IDLE. */
const MAX_IDLE_MS = 5 * 60_000;
const POLL_INTERVAL_MS = 60_000;

/** With these codes the login itself is not at fault. https://www.rfc-editor.org/rfc/rfc5530 */
const TRANSIENT = /^(?:UNAVAILABLE|LIMIT|INUSE|SERVERBUG|CONTACTADMIN)$/;

export class ImapSession {
  #socket: Socket;
  #reader = new ImapReader(MAX_RESPONSE_BYTES);
  readonly #responses: ImapResponse[] = [];
  #wake: (() => void) | undefined;
  #fault: ImapFault | undefined;
  #tags = 0;
  #capabilities = new Set<string>();
  #farewell: string | undefined;
  /** Whether the mailbox received emails since the last search. */
  #hasNew = false;
  #isIdling = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen();
  }

  /** Logs in over a socket. Rejects with an ImapFault, after closing the socket. */
  static async open(
    socket: Socket,
    options: ImapOptions,
    signal: AbortSignal,
  ): Promise<ImapSession> {
    const session = new ImapSession(socket);
    const onAbort = () => session.quit();
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    socket.once('close', () => signal.removeEventListener('abort', onAbort));
    try {
      await session.#begin(options);
      return session;
    } catch (error) {
      session.#end(new ImapFault('the login failed', {}));
      throw error;
    }
  }

  /** Opens a mailbox read-only. UIDs are comparable as long as `validity` is the same. */
  async examine(mailbox: string): Promise<{ validity: number; next: number }> {
    const responses = await this.#command(`EXAMINE ${quoted(mailbox)}`);
    const numberOf = (name: string) => {
      const pattern = new RegExp(`^\\* OK \\[${name} (\\d{1,10})\\]`, 'i');
      return responses.map(({ text }) => pattern.exec(text)?.[1]).find((found) => found);
    };
    const validity = Number(numberOf('UIDVALIDITY'));
    const next = Number(numberOf('UIDNEXT'));
    if (Number.isNaN(validity + next)) throw new ImapFault('the mailbox has no UIDs', {});
    return { validity, next };
  }

  /** The UIDs after `uid`, in order. */
  async after(uid: number): Promise<number[]> {
    this.#hasNew = false;
    const responses = await this.#command(`UID SEARCH UID ${uid + 1}:*`);
    const found = responses.flatMap(({ text }) => {
      const [, list = ''] = /^\* SEARCH(.*)$/i.exec(text) ?? [];
      return list.split(' ').map(Number);
    });
    // The search range always includes the last email.
    return [...new Set(found)].filter((each) => each > uid).toSorted((a, b) => a - b);
  }

  /** Fetches an email, its beginning if it is larger than `maxBytes`; undefined when it no longer exists. */
  async fetch(
    uid: number,
    { maxBytes, truncatedBytes }: { maxBytes: number; truncatedBytes: number },
  ): Promise<FetchedEmail | undefined> {
    const about = await this.#fetch(uid, '(UID RFC822.SIZE INTERNALDATE)');
    const size = Number(about.get('RFC822.SIZE'));
    if (Number.isNaN(size)) return undefined;
    const part = size > maxBytes ? `BODY.PEEK[]<0.${truncatedBytes}>` : 'BODY.PEEK[]';
    const mail = await this.#fetch(uid, `(UID ${part})`);
    const bytes = mail.get('BODY[]') ?? mail.get('BODY[]<0>');
    if (bytes === undefined || bytes === null) return undefined;
    const at = Date.parse(String(about.get('INTERNALDATE')).trim());
    return {
      bytes: Buffer.isBuffer(bytes) ? bytes : Buffer.from(String(bytes), 'latin1'),
      size,
      ...(!Number.isNaN(at) && { at }),
    };
  }

  /** Waits until there may be new emails. Rejects with an ImapFault when the connection ends. */
  async wait(clock: Clock): Promise<void> {
    if (this.#capabilities.has('IDLE')) await this.#idle(clock);
    else if (!this.#hasNew) {
      await this.#until(clock, POLL_INTERVAL_MS, () => false);
      await this.#command('NOOP');
    }
  }

  quit(): void {
    if (this.#fault) return;
    this.#socket.write(`${this.#isIdling ? 'DONE\r\n' : ''}A0 LOGOUT\r\n`);
    this.#end(new ImapFault('the connection was closed', {}), true);
  }

  async #begin({ host, isSecure, trustsWire, login }: ImapOptions): Promise<void> {
    const { text } = await this.#next();
    if (/^\* BYE/i.test(text)) throw new ImapFault(text.slice(6), { code: 'BYE' });
    if (!/^\* (?:OK|PREAUTH)/i.test(text)) throw new ImapFault('not an IMAP server', {});
    await this.#readCapabilities();
    if (!isSecure) await this.#startTls(host, trustsWire);
    if (/^\* OK/i.test(text)) await this.#logIn(login);
    await this.#readCapabilities();
  }

  async #readCapabilities(): Promise<void> {
    const responses = await this.#command('CAPABILITY');
    const found = responses.find(({ text }) => /^\* CAPABILITY /i.test(text))?.text ?? '';
    this.#capabilities = new Set(found.toUpperCase().split(' ').slice(2));
  }

  /** https://www.rfc-editor.org/rfc/rfc9051#section-6.2.1 */
  async #startTls(host: string, trustsWire: boolean): Promise<void> {
    if (!this.#capabilities.has('STARTTLS')) {
      if (trustsWire) return;
      const message = 'the server does not offer TLS, which the password requires';
      throw new ImapFault(message, { isLasting: true });
    }
    await this.#command('STARTTLS');
    // An attacker may have injected data received before TLS.
    if (!this.#reader.isEmpty || this.#responses.length > 0) {
      throw new ImapFault('the server sent data before the TLS handshake', {});
    }
    this.#socket.removeAllListeners('data');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const name = isIP(host) === 0 ? { servername: host } : {};
    const options = { host, ...name, rejectUnauthorized: !trustsWire };
    const encrypted = secure({ ...options, socket: this.#socket }, resolve);
    encrypted.once('error', (error: Error & { code?: string }) => {
      const code = error.code === undefined ? '' : ` (${error.code})`;
      const untrusted = certificateFault(error);
      const message = untrusted ?? `TLS connection failed${code}`;
      reject(new ImapFault(message, { isLasting: untrusted !== undefined }));
    });
    encrypted.once('close', () => reject(new ImapFault('TLS connection failed', {})));
    await promise;
    this.#socket = encrypted;
    this.#listen();
    await this.#readCapabilities();
  }

  async #logIn(login: ImapOptions['login']): Promise<void> {
    try {
      if ('accessToken' in login) {
        const { user, accessToken } = login;
        // https://developers.google.com/workspace/gmail/imap/xoauth2-protocol
        const proof = `user=${user}\u0001auth=Bearer ${accessToken}\u0001\u0001`;
        await this.#authenticate('XOAUTH2', proof);
      } else if (this.#capabilities.has('AUTH=PLAIN')) {
        await this.#authenticate('PLAIN', `\0${login.user}\0${login.password}`);
      } else await this.#command(`LOGIN ${quoted(login.user)} ${quoted(login.password)}`);
    } catch (error) {
      if (!(error instanceof ImapFault) || error.code === undefined) throw error;
      const { message, code } = error;
      const isLasting = code !== 'BYE' && !TRANSIENT.test(code);
      throw new ImapFault(message, { code, isLasting, isLogin: true });
    }
  }

  /** https://www.rfc-editor.org/rfc/rfc9051#section-6.2.2 */
  async #authenticate(mechanism: string, proof: string): Promise<void> {
    let answers = 0;
    // A second challenge has the error in JSON and requires an empty response.
    await this.#command(`AUTHENTICATE ${mechanism}`, () =>
      answers++ === 0 ? Buffer.from(proof).toString('base64') : '',
    );
  }

  /**
   * The items of an email. A server may send several responses about it: flags that another client changed arrive in a
   * response of their own, before or after the items (RFC 9051, section 7.5.2).
   */
  async #fetch(uid: number, what: string): Promise<Map<string, ImapValue>> {
    const responses = await this.#command(`UID FETCH ${uid} ${what}`);
    const all = new Map<string, ImapValue>();
    for (const response of responses) {
      if (!/^\* \d+ FETCH /i.test(response.text)) continue;
      const items = listIn(valuesIn(response)[3]);
      const pairs = new Map<string, ImapValue>();
      for (let i = 0; i + 1 < items.length; i += 2) {
        pairs.set(String(items[i]).toUpperCase(), items[i + 1] ?? null);
      }
      if (Number(pairs.get('UID')) !== uid) continue;
      for (const [name, value] of pairs) all.set(name, value);
    }
    return all;
  }

  async #idle(clock: Clock): Promise<void> {
    if (this.#hasNew) return;
    const tag = this.#write('IDLE');
    this.#isIdling = true;
    let isOver = false;
    await this.#until(clock, MAX_IDLE_MS, () => {
      for (const response of this.#responses.splice(0)) {
        this.#notice(response);
        isOver ||= response.text.startsWith(`${tag} `);
      }
      return this.#hasNew || isOver;
    });
    this.#isIdling = false;
    if (isOver) throw new ImapFault('the server refused IDLE', {});
    this.#socket.write('DONE\r\n');
    await this.#answers(tag);
  }

  /** Waits for the condition or the timeout. */
  async #until(clock: Clock, time: number, isDone: () => boolean): Promise<void> {
    let isLate = false;
    const cancel = clock.after(time, () => {
      isLate = true;
      this.#wake?.();
    });
    try {
      while (!isDone() && !isLate) {
        if (this.#fault) throw this.#fault;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      cancel();
    }
  }

  async #command(text: string, answer?: () => string): Promise<ImapResponse[]> {
    return this.#answers(this.#write(text), answer);
  }

  #write(text: string): string {
    if (this.#fault) throw this.#fault;
    const tag = `A${++this.#tags}`;
    this.#socket.write(`${tag} ${text}\r\n`);
    return tag;
  }

  async #answers(tag: string, answer?: () => string): Promise<ImapResponse[]> {
    const untagged: ImapResponse[] = [];
    for (;;) {
      const response = await this.#next();
      const [, status = '', code, reason = ''] =
        /^\S+ (OK|NO|BAD)\b(?: \[([^\]\s]+)[^\]]*\])? ?(.*)$/i.exec(response.text) ?? [];
      if (response.text.startsWith(`${tag} `)) {
        if (status.toUpperCase() === 'OK') return untagged;
        throw new ImapFault(reason || 'the server refused the command', {
          code: (code ?? status).toUpperCase(),
          isRefusal: status.toUpperCase() === 'NO',
        });
      }
      if (response.text.startsWith('+') && answer) this.#socket.write(`${answer()}\r\n`);
      this.#notice(response);
      if (untagged.push(response) > MAX_RESPONSES) {
        this.#end(new ImapFault('the response is too long', {}));
      }
    }
  }

  #notice({ text }: ImapResponse): void {
    if (/^\* \d+ EXISTS$/i.test(text)) this.#hasNew = true;
    if (/^\* BYE/i.test(text)) this.#farewell = text.slice(6).trim();
  }

  async #next(): Promise<ImapResponse> {
    const cancel = systemClock.after(RESPONSE_TIMEOUT_MS, () =>
      this.#end(new ImapFault('the server did not answer in time', {})),
    );
    try {
      for (;;) {
        const response = this.#responses.shift();
        if (response) return response;
        if (this.#fault) throw this.#fault;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      cancel();
    }
  }

  #listen(): void {
    this.#reader = new ImapReader(MAX_RESPONSE_BYTES);
    this.#socket.on('data', (bytes: Buffer) => {
      const responses = this.#reader.push(bytes);
      if (!responses) return this.#end(new ImapFault('the server sent too much data', {}));
      this.#responses.push(...responses);
      if (this.#responses.length > MAX_RESPONSES) {
        this.#end(new ImapFault('the server sent too much data', {}));
      }
      this.#wake?.();
    });
    this.#socket.on('error', () => {});
    this.#socket.once('close', () => {
      for (const response of this.#responses) this.#notice(response);
      const message = this.#farewell || 'the server closed the connection';
      this.#end(new ImapFault(message, this.#farewell === undefined ? {} : { code: 'BYE' }));
    });
  }

  #end(fault: ImapFault, politely = false): void {
    if (this.#fault) return;
    this.#fault = fault;
    const socket = this.#socket;
    if (politely) {
      socket.destroySoon();
      setTimeout(() => socket.destroy(), LOGOUT_TIMEOUT_MS).unref();
    } else socket.destroy();
    this.#wake?.();
  }
}

function listIn(value: ImapValue | undefined): readonly ImapValue[] {
  return typeof value === 'object' && value !== null && !Buffer.isBuffer(value) ? value : [];
}

/** Removes characters that no line can hold; a password with them cannot be valid. */
function quoted(text: string): string {
  return `"${text.replaceAll(/[\r\n\0]/g, '').replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
