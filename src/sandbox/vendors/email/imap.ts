import type { Socket } from 'node:net';

import type { Phone } from '../../phone.ts';
import type { Session, SessionReport } from '../../session.ts';
import { onLines } from '../../wire/lines.ts';
import { bounceOf, mailOf, messageIdOf } from './mails.ts';
import type { MailLogin } from './smtp.ts';

/*
 * The application's mailbox, read-only. https://www.rfc-editor.org/rfc/rfc9051
 * It opens empty and then receives all mails on the phone: a client that has read some of them continues after those,
 * and mails written before the first connection are not lost. The UID of a mail is its number on the phone.
 */

interface ImapServerOptions {
  /** Undefined accepts any login. */
  login?: MailLogin;
  capabilities?: string;
  greeting?: string;
  /** UIDVALIDITY */
  validity?: number;
  /** The lowest UID. */
  first?: number;
}

const MAX_LINE_LENGTH = 8_192;
const CAPABILITIES = 'IMAP4rev1 IDLE AUTH=PLAIN SASL-IR';

export function serveImap(socket: Socket, session: Session, options: ImapServerOptions): void {
  const connection = new ImapConnection(socket, session, options);
  socket.write(`${options.greeting ?? '* OK ready'}\r\n`);
  onLines(socket, MAX_LINE_LENGTH, (line) => connection.receive(line));
  socket.once('close', () => connection.end());
}

interface Bounce {
  bytes: Buffer;
  at: number;
  fetched: PromiseWithResolvers<void>;
}

class ImapConnection {
  readonly #socket: Socket;
  readonly #session: Session;
  readonly #options: ImapServerOptions;
  /** Bounces that the client has not read yet; they are not on the phone. */
  readonly #bounces = new Map<number, Bounce>();
  /** Handles the next line instead of a command: a login or the end of IDLE. */
  #expecting: ((line: string) => Promise<void> | void) | undefined;
  #isLoggedIn = false;
  #isOpen = false;
  #isIdling = false;
  #hasNews = false;

  constructor(socket: Socket, session: Session, options: ImapServerOptions) {
    this.#socket = socket;
    this.#session = session;
    this.#options = options;
  }

  end(): void {
    for (const { fetched } of this.#bounces.values()) fetched.reject(new Error('disconnected'));
  }

  async receive(line: string): Promise<void> {
    const expecting = this.#expecting;
    this.#expecting = undefined;
    if (expecting) return expecting(line);
    const [, tag = '*', text = ''] = /^([^\s(){%*"\\+]+) (.+)$/.exec(line) ?? [];
    const [name = ''] = text.toUpperCase().split(' ', 1);
    const rest = text.slice(name.length + 1);
    switch (name) {
      case 'CAPABILITY':
        this.#write(`* CAPABILITY ${this.#capabilities}`);
        return this.#done(tag);
      case 'NOOP':
        await this.#announce();
        return this.#done(tag);
      case 'LOGOUT':
        this.#write('* BYE logging out');
        this.#done(tag);
        this.#socket.destroySoon();
        return;
      case 'LOGIN': {
        const [user, password, ...others] = words(rest) ?? [];
        return user === undefined || password === undefined || others.length > 0
          ? this.#write(`${tag} BAD expected a user name and a password`)
          : this.#logIn(tag, user, password);
      }
      case 'AUTHENTICATE':
        return this.#authenticate(tag, rest);
      default:
    }
    if (!this.#isLoggedIn) return this.#write(`${tag} BAD log in first`);
    if (name === 'EXAMINE' || name === 'SELECT') return this.#open(tag, words(rest)?.[0] ?? '');
    if (!this.#isOpen) return this.#write(`${tag} BAD no mailbox is open`);
    if (name === 'IDLE') return this.#idle(tag);
    const [, kind = '', argument = ''] = /^(SEARCH|FETCH) (.+)$/i.exec(rest) ?? [];
    if (name === 'UID' && kind.toUpperCase() === 'SEARCH') return this.#search(tag, argument);
    if (name === 'UID' && kind.toUpperCase() === 'FETCH') return this.#fetch(tag, argument);
    return this.#write(`${tag} BAD unknown command`);
  }

  async #authenticate(tag: string, rest: string): Promise<void> {
    const [mechanism = '', initial] = rest.split(' ');
    if (!this.#capabilities.split(' ').includes(`AUTH=${mechanism.toUpperCase()}`)) {
      return this.#write(`${tag} NO unknown mechanism`);
    }
    const prove = async (proof: string) => {
      const [, user = '', password = ''] = Buffer.from(proof, 'base64').toString().split('\0');
      return this.#logIn(tag, user, password);
    };
    if (initial !== undefined) return prove(initial);
    this.#expecting = prove;
    this.#write('+ ');
  }

  async #logIn(tag: string, user: string, password: string): Promise<void> {
    const { login } = this.#options;
    const isRight = !login || (user === login.user && password === login.password);
    if (!isRight || !(await this.#session.admits())) {
      return this.#write(`${tag} NO [AUTHENTICATIONFAILED] wrong user name or password`);
    }
    this.#isLoggedIn = true;
    this.#done(tag);
  }

  #open(tag: string, name: string): void {
    if (name.toUpperCase() !== 'INBOX')
      return this.#write(`${tag} NO [NONEXISTENT] no such mailbox`);
    this.#write('* FLAGS ()', '* 0 EXISTS');
    const { validity = 1, first = 1 } = this.#options;
    this.#write(`* OK [UIDVALIDITY ${validity}] valid`, `* OK [UIDNEXT ${first}] next`);
    this.#write(`${tag} OK [READ-ONLY] done`);
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#hasNews = true;
    this.#session.follow((report) => this.#report(report));
  }

  /** New mails are announced in IDLE, or after the next NOOP. A bounce is reported once the client has read it. */
  async #report(report: SessionReport): Promise<void> {
    if (report.kind !== 'receipt') return this.#arrive();
    const fetched = Promise.withResolvers<void>();
    const bytes = bounceOf(report, this.#self);
    this.#bounces.set(report.number, { bytes, at: report.entry.createdAt, fetched });
    await this.#arrive();
    await fetched.promise;
  }

  async #arrive(): Promise<void> {
    this.#hasNews = true;
    if (this.#isIdling) await this.#announce();
  }

  async #announce(): Promise<void> {
    if (!this.#isOpen || !this.#hasNews) return;
    this.#hasNews = false;
    this.#write(`* ${(await this.#uids()).length} EXISTS`);
  }

  async #idle(tag: string): Promise<void> {
    this.#isIdling = true;
    this.#expecting = (line) => {
      this.#isIdling = false;
      if (line.toUpperCase() === 'DONE') this.#done(tag);
      else this.#write(`${tag} BAD expected DONE`);
    };
    this.#write('+ idling');
    await this.#announce();
  }

  async #search(tag: string, criteria: string): Promise<void> {
    const [, from, to] = /^UID (\d{1,10}):(\d{1,10}|\*)$/i.exec(criteria) ?? [];
    if (from === undefined) return this.#write(`${tag} BAD unknown criteria`);
    // Reset before the emails are read, so that one that arrives during the read counts as new.
    this.#hasNews = false;
    const all = await this.#uids();
    const last = all.at(-1) ?? 0;
    // A range that ends with * always contains the last mail.
    const [low, high] = [Math.min(Number(from), last), to === '*' ? last : Number(to)];
    const found = all.filter((uid) => uid >= low && uid <= high);
    this.#write(['* SEARCH', ...found].join(' '));
    this.#done(tag);
  }

  async #fetch(tag: string, argument: string): Promise<void> {
    const [, number = '', list = ''] = /^(\d{1,10}) \((.+)\)$/.exec(argument) ?? [];
    if (number === '') return this.#write(`${tag} BAD expected one UID and a list`);
    const uid = Number(number);
    const wanted = list.toUpperCase().split(' ');
    const unknown = wanted.find((item) => !itemOf(item, uid, NO_MAIL));
    if (unknown !== undefined) return this.#write(`${tag} BAD unknown item ${unknown}`);
    const mail = await this.#mail(uid);
    if (!mail) return this.#done(tag);
    const items = wanted.flatMap((item, i) => [
      Buffer.from(i === 0 ? '' : ' '),
      itemOf(item, uid, mail) ?? Buffer.alloc(0),
    ]);
    if (wanted.some((item) => item.startsWith('BODY'))) this.#read(uid);
    this.#socket.write(Buffer.concat([Buffer.from(`* 1 FETCH (`), ...items, Buffer.from(')\r\n')]));
    this.#done(tag);
  }

  #read(uid: number): void {
    this.#bounces.get(uid)?.fetched.resolve();
    // The bytes stay, because the client may fetch a bounce in pieces.
  }

  async #mail(uid: number): Promise<{ bytes: Buffer; at: number } | undefined> {
    const bounce = this.#bounces.get(uid);
    if (bounce) return bounce;
    const entry = await this.#session.phone.find(messageIdOf(uid));
    if (!entry || entry.author !== 'person') return undefined;
    const bytes = await mailOf(entry, this.#self, this.#session.phone);
    return { bytes, at: entry.createdAt };
  }

  /** In ascending order. */
  async #uids(): Promise<number[]> {
    const mails = await allMails(this.#session.phone);
    return [...mails, ...this.#bounces.keys()].toSorted((a, b) => a - b);
  }

  get #capabilities(): string {
    return this.#options.capabilities ?? CAPABILITIES;
  }

  get #self(): string {
    return this.#options.login?.user ?? '';
  }

  #done(tag: string): void {
    this.#write(`${tag} OK done`);
  }

  #write(...lines: string[]): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(lines.map((line) => `${line}\r\n`).join(''));
  }
}

/** The phone has at most 1,000 entries. */
async function allMails(phone: Phone): Promise<number[]> {
  const found: number[] = [];
  for (let last = 0; ;) {
    const entries = await phone.actionsAfter(last);
    found.push(
      ...entries.filter(({ entry }) => entry.kind === 'message').map((each) => each.number),
    );
    const newest = entries.at(-1)?.number;
    if (newest === undefined || newest <= last) return found;
    last = newest;
  }
}

const NO_MAIL = { bytes: Buffer.alloc(0), at: 0 };

function itemOf(
  item: string,
  uid: number,
  { bytes, at }: { bytes: Buffer; at: number },
): Buffer | undefined {
  if (item === 'UID') return Buffer.from(`UID ${uid}`);
  if (item === 'RFC822.SIZE') return Buffer.from(`RFC822.SIZE ${bytes.length}`);
  if (item === 'INTERNALDATE') return Buffer.from(`INTERNALDATE "${dateOf(at)}"`);
  const [, start, count] = /^BODY(?:\.PEEK)?\[\](?:<(\d{1,9})\.(\d{1,9})>)?$/.exec(item) ?? [];
  if (!item.startsWith('BODY') || !/^BODY(?:\.PEEK)?\[\]/.test(item)) return undefined;
  const from = Number(start ?? 0);
  const piece = count === undefined ? bytes : bytes.subarray(from, from + Number(count));
  const name = start === undefined ? 'BODY[]' : `BODY[]<${from}>`;
  return Buffer.concat([Buffer.from(`${name} {${piece.length}}\r\n`), piece]);
}

/** 17-Jul-2026 02:44:25 +0000 */
function dateOf(at: number): string {
  const [, day = '', month, year, time] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(at).toUTCString()) ?? [];
  return `${day.padStart(2, ' ')}-${month}-${year} ${time} +0000`;
}

const WORD = /"((?:[^"\\]|\\.)*)"|([^\s"]+)/g;

/** Atoms and quoted strings; undefined if a string does not end. */
function words(text: string): string[] | undefined {
  if (text.replaceAll(WORD, '').trim() !== '') return undefined;
  return [...text.matchAll(WORD)].map(
    ([, quoted, atom]) => atom ?? (quoted ?? '').replaceAll(/\\(.)/g, '$1'),
  );
}
