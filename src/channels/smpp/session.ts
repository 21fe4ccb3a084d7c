import type { Socket } from 'node:net';

import { Inbox } from '../../lib/runtime/inbox.ts';
import { COMMANDS, Fields, type Pdu, PduReader, RESPONSE, cString, writePdu } from './pdu.ts';

/* One connection to an SMPP server, from the bind to its end. */

export interface SmppLogin {
  systemId: string;
  password: string;
}

/** The server refused us or closed the connection. */
export class SmppFault extends Error {
  override name = 'SmppFault';
  /** The status of the refused bind; undefined without a response. */
  readonly status: number | undefined;
  /** Whether a request was written without a response. */
  readonly maybeSent: boolean;

  constructor(message: string, status: number | undefined, maybeSent: boolean) {
    super(message);
    this.status = status;
    this.maybeSent = maybeSent;
  }
}

const VERSION = 0x34;
const QUEUE_FULL = 0x14;
const INVALID_COMMAND = 0x03;
/** Unless the server is asked regularly, a broken connection goes unnoticed. */
const ENQUIRE_MS = 30_000;
const GOODBYE_MS = 5000;
/** Received messages that are not stored yet; the server keeps any others. */
const MAX_UNSTORED = 1000;
const MAX_UNREAD_BYTES = 1024 * 1024;
const MAX_RECENT_IDS = 10_000;

export class SmppSession {
  readonly #socket: Socket;
  readonly #reader = new PduReader();
  readonly #closed = Promise.withResolvers<never>();
  readonly #pending = new Map<number, (pdu: Pdu) => void>();
  /** The ids of recently sent messages, to match receipts that write them differently. */
  readonly #ids = new Set<string>();
  /** Messages from the server, to be stored; each must be acknowledged. */
  readonly received = new Inbox<Pdu>(Number.MAX_SAFE_INTEGER, () => 1);
  #unstored = 0;
  #sequence = 0;
  #open = true;
  #isAwaitingLink = false;
  readonly #enquireTimer: NodeJS.Timeout;

  private constructor(socket: Socket) {
    this.#socket = socket;
    // Prevents an unhandled rejection when nobody waits.
    this.#closed.promise.catch(() => {});
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('error', () => {});
    socket.on('close', () => this.#end('the server closed the connection'));
    this.#enquireTimer = setInterval(() => this.#enquire(), ENQUIRE_MS).unref();
  }

  /** Binds over a socket. Rejects with an SmppFault, after closing the socket. */
  static async open(socket: Socket, login: SmppLogin, signal: AbortSignal): Promise<SmppSession> {
    const session = new SmppSession(socket);
    const body = Buffer.concat([
      cString(login.systemId),
      cString(login.password),
      cString(''),
      Buffer.of(VERSION, 0, 0),
      cString(''),
    ]);
    try {
      const { status } = await session.request(COMMANDS.bindTransceiver, body, signal);
      if (status === 0) return session;
      throw new SmppFault('the server refused the bind', status, false);
    } catch (error) {
      session.#end('the bind failed');
      throw error instanceof SmppFault ? new SmppFault(error.message, error.status, false) : error;
    }
  }

  get open(): boolean {
    return this.#open;
  }

  /** Rejects with an SmppFault when the connection ends. */
  get ended(): Promise<never> {
    return this.#closed.promise;
  }

  /** Writes a request and returns its response. Rejects with an SmppFault if there is none. */
  async request(command: number, body: Buffer, signal: AbortSignal): Promise<Pdu> {
    if (!this.#open) throw new SmppFault('the connection ended', undefined, false);
    const sequence = this.#nextSequence();
    const { promise, resolve } = Promise.withResolvers<Pdu>();
    const late = Promise.withResolvers<never>();
    const onAbort = () =>
      late.reject(new SmppFault('the server did not answer in time', undefined, true));
    if (signal.aborted) throw new SmppFault('there was no time left', undefined, false);
    signal.addEventListener('abort', onAbort);
    this.#pending.set(sequence, resolve);
    try {
      this.#write({ command, status: 0, sequence, body });
      return await Promise.race([late.promise, promise, this.#closed.promise]);
    } finally {
      this.#pending.delete(sequence);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Confirms that a received message is stored. */
  acknowledge({ sequence }: Pdu): void {
    this.#unstored--;
    this.#respond(COMMANDS.deliverSm, sequence, 0, cString(''));
  }

  remember(id: string): void {
    const [oldest] = this.#ids;
    if (this.#ids.size >= MAX_RECENT_IDS && oldest !== undefined) this.#ids.delete(oldest);
    this.#ids.add(id);
  }

  hasSent(id: string): boolean {
    return this.#ids.has(id);
  }

  unbind(): void {
    if (!this.#open) return;
    const sequence = this.#nextSequence();
    this.#write({ command: COMMANDS.unbind, status: 0, sequence, body: Buffer.alloc(0) });
    this.#end('the session was closed');
  }

  #nextSequence(): number {
    return (this.#sequence = (this.#sequence % 0x7fff_ffff) + 1);
  }

  #read(bytes: Buffer): void {
    const pdus = this.#reader.read(bytes);
    if (pdus === 'malformed') return this.#giveUp('the server does not speak SMPP');
    for (const pdu of pdus) if (this.#open) this.#receive(pdu);
  }

  #receive(pdu: Pdu): void {
    const { command, sequence } = pdu;
    if (command >= RESPONSE) return this.#pending.get(sequence)?.(pdu);
    if (command === COMMANDS.enquireLink) this.#respond(command, sequence, 0);
    else if (command === COMMANDS.unbind) {
      this.#respond(command, sequence, 0);
      this.#end('the server ended the session');
    } else if (command !== COMMANDS.deliverSm) {
      const nack = { command: COMMANDS.genericNack, status: INVALID_COMMAND, sequence };
      this.#write({ ...nack, body: Buffer.alloc(0) });
    } else if (this.#unstored >= MAX_UNSTORED) {
      this.#respond(command, sequence, QUEUE_FULL, cString(''));
    } else {
      this.#unstored++;
      this.received.put(pdu);
    }
  }

  #respond(
    command: number,
    sequence: number,
    status: number,
    body: Buffer = Buffer.alloc(0),
  ): void {
    this.#write({ command: RESPONSE + command, status, sequence, body });
  }

  #write(pdu: Pdu): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(writePdu(pdu));
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) {
      this.#giveUp('the server does not read our requests');
    }
  }

  #enquire(): void {
    if (this.#isAwaitingLink) return this.#giveUp('the server does not answer');
    this.#isAwaitingLink = true;
    const sequence = this.#nextSequence();
    this.#pending.set(sequence, () => {
      this.#pending.delete(sequence);
      this.#isAwaitingLink = false;
    });
    this.#write({ command: COMMANDS.enquireLink, status: 0, sequence, body: Buffer.alloc(0) });
  }

  #giveUp(why: string): void {
    this.#socket.destroy();
    this.#end(why);
  }

  #end(why: string): void {
    if (!this.#open) return;
    this.#open = false;
    clearInterval(this.#enquireTimer);
    this.#socket.destroySoon();
    setTimeout(() => this.#socket.destroy(), GOODBYE_MS).unref();
    this.#closed.reject(new SmppFault(why, undefined, true));
  }
}

/** The id of a sent message: servers differ in case and leading zeros between response and receipt. */
export function messageId({ body }: Pdu): string | undefined {
  const id = normalizeId(new Fields(body).text());
  return id === '' ? undefined : id;
}

export function normalizeId(id: string): string {
  return id
    .trim()
    .toLowerCase()
    .replace(/^0+(?=.)/, '');
}
