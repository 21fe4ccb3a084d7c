import type { Socket } from 'node:net';

import { decodeGsm, encodeGsm, gsmLength } from '../../../lib/text/gsm.ts';
import type { Session, SessionRefusal, SessionReport } from '../../session.ts';
import {
  type Delivery,
  PduSplitter,
  RESPONSE,
  type Submitted,
  bindFault,
  bodyOf,
  cText,
  deliverBody,
  headerOf,
  pduOf,
  readSubmit,
} from './pdus.ts';

/*
 * An SMS center: it takes messages of a bound session, joins their segments, and reports receipts and answers until
 * they are acknowledged. https://smpp.org/SMPP_v3_4_Issue1_2.pdf
 */

interface SmppServerOptions {
  systemId: string;
  password: string;
  /** Makes the id of a message from its number. */
  idOf?(number: number): string;
}

const BIND_TRANSCEIVER = 0x09;
const SUBMIT_SM = 0x04;
const DELIVER_SM = 0x05;
const UNBIND = 0x06;
const ENQUIRE_LINK = 0x15;
const GENERIC_NACK = 0x8000_0000;

const STATUS = {
  invalidCommand: 0x03,
  notBound: 0x04,
  systemError: 0x08,
  invalidDestination: 0x0b,
  invalidPassword: 0x0e,
  throttled: 0x58,
  temporaryError: 0x64,
} as const;
/** Long messages that are not complete yet. */
const MAX_INCOMPLETE = 100;

export function serveSmpp(socket: Socket, session: Session, options: SmppServerOptions): void {
  const connection = new SmppConnection(socket, session, options);
  const splitter = new PduSplitter();
  let last = Promise.resolve();
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    const pdus = splitter.split(bytes);
    if (!pdus) socket.destroy();
    for (const pdu of pdus ?? []) {
      // Responses do not wait for requests that are being processed.
      if (connection.handleResponse(pdu)) continue;
      last = last.then(() => connection.receive(pdu)).catch(() => void socket.destroy());
    }
  });
  socket.once('close', () => connection.end());
}

class SmppConnection {
  readonly #socket: Socket;
  readonly #session: Session;
  readonly #options: SmppServerOptions;
  readonly #pending = new Map<number, (status: number | undefined) => void>();
  readonly #incomplete = new Map<string, Map<number, string>>();
  #sequence = 0;
  #isBound = false;

  constructor(socket: Socket, session: Session, options: SmppServerOptions) {
    this.#socket = socket;
    this.#session = session;
    this.#options = options;
  }

  /** Settles the request that it answers; returns false if it is not a response. */
  handleResponse(pdu: Buffer): boolean {
    const { command, status, sequence } = headerOf(pdu);
    if (command < RESPONSE) return false;
    this.#pending.get(sequence)?.(status);
    return true;
  }

  end(): void {
    for (const settle of this.#pending.values()) settle(undefined);
  }

  async receive(pdu: Buffer): Promise<void> {
    const { command, sequence } = headerOf(pdu);
    const reply = (status: number, text?: string) =>
      this.#write(command + RESPONSE, status, sequence, text);
    if (command === ENQUIRE_LINK) return reply(0);
    if (command === UNBIND) {
      reply(0);
      this.#socket.destroySoon();
      return;
    }
    if (command === BIND_TRANSCEIVER) return this.#bind(bodyOf(pdu), reply);
    if (command !== SUBMIT_SM) {
      return this.#write(GENERIC_NACK, STATUS.invalidCommand, sequence);
    }
    const message = this.#isBound ? readSubmit(bodyOf(pdu)) : STATUS.notBound;
    return typeof message === 'number' ? reply(message, '') : this.#submit(message, reply);
  }

  async #bind(body: Buffer, reply: (status: number, text: string) => void): Promise<void> {
    const fault = bindFault(body, this.#options);
    const isAdmitted = fault === 0 && (await this.#session.admits());
    if (!isAdmitted) return reply(fault || STATUS.invalidPassword, '');
    this.#isBound = true;
    reply(0, 'SANDBOX');
    this.#session.follow((report) => this.#report(report));
  }

  async #submit(message: Submitted, reply: (status: number, text: string) => void): Promise<void> {
    const { idOf = String } = this.#options;
    const text = this.#textOf(message);
    const [kind, , number = ''] = message.destination.split(' ');
    const to = kind === '1' ? `+${number}` : number;
    // Only the last segment makes a message, and it is the one with a receipt.
    if (text === undefined) return reply(0, idOf(0));
    let id = '';
    const { refusal } = await this.#session.take(to, async () => {
      const shown = await this.#session.phone.show(to, { text }, idOf);
      id = shown.vendorId;
      return shown;
    });
    if (refusal === 'lost') this.#socket.destroy();
    else reply(refusal ? statusOf(refusal) : 0, id);
  }

  /** The text of a message; undefined while segments are missing. 3GPP TS 23.040, section 9.2.3.24 */
  #textOf({ destination, esmClass, coding, bytes }: Submitted): string | undefined {
    const message = Buffer.from(bytes, 'hex');
    if (esmClass === 0) return decode(message, coding);
    const [reference = 0, total = 0, number = 0] = message.subarray(3, 6);
    const key = `${destination} ${reference} ${total}`;
    const parts = this.#incomplete.get(key) ?? new Map<number, string>();
    parts.set(number, decode(message.subarray(6), coding));
    this.#incomplete.delete(key);
    const [oldest] = this.#incomplete.keys();
    if (this.#incomplete.size >= MAX_INCOMPLETE && oldest !== undefined) {
      this.#incomplete.delete(oldest);
    }
    if (parts.size < total) {
      this.#incomplete.set(key, parts);
      return undefined;
    }
    return [...parts]
      .toSorted(([a], [b]) => a - b)
      .map(([, part]) => part)
      .join('');
  }

  /** Rejects unless the application acknowledges it. */
  async #report(report: SessionReport): Promise<void> {
    const delivery = report.kind === 'receipt' ? receiptOf(report) : messageOf(report);
    const sequence = ++this.#sequence;
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    this.#pending.set(sequence, resolve);
    this.#socket.write(pduOf(DELIVER_SM, 0, sequence, deliverBody(delivery)));
    const status = await promise;
    this.#pending.delete(sequence);
    if (status !== 0) throw new Error(`deliver_sm was answered with ${status ?? 'nothing'}`);
  }

  #write(command: number, status: number, sequence: number, text?: string): void {
    const body = text === undefined ? Buffer.alloc(0) : cText(text);
    if (!this.#socket.destroyed) this.#socket.write(pduOf(command, status, sequence, body));
  }
}

const UCS_2 = 0x08;

const decode = (bytes: Buffer, coding: number) =>
  (coding & UCS_2) === 0 ? decodeGsm(bytes) : Buffer.from(bytes).swap16().toString('utf16le');

function statusOf(refusal: Exclude<SessionRefusal, 'lost'>): number {
  switch (refusal) {
    case 'blocked':
    case 'unknown':
      return STATUS.invalidDestination;
    case 'limited':
      return STATUS.throttled;
    case 'credentials':
      return STATUS.notBound;
    case 'server_error':
      return STATUS.systemError;
    case 'unavailable':
      return STATUS.temporaryError;
  }
}

const PAYLOAD = 0x0424;
const RECEIPTED_ID = 0x001e;
const MESSAGE_STATE = 0x0427;
const RECEIPT = 0x04;
const STATES = {
  delivered: { name: 'DELIVRD', number: 2 },
  failed: { name: 'UNDELIV', number: 5 },
  read: { name: 'DELIVRD', number: 2 },
} as const;

/** SMPP 3.4, appendix B */
function receiptOf({ entry, state }: Extract<SessionReport, { kind: 'receipt' }>): Delivery {
  const { name, number } = STATES[state];
  const text = `id:${entry.vendorId} sub:001 dlvrd:001 submit date:2611150000 done date:2611150000 stat:${name} err:000 text:`;
  return {
    from: entry.person.replaceAll(/\D/g, ''),
    text: Buffer.from(text, 'latin1'),
    esmClass: RECEIPT,
    parameters: [
      [RECEIPTED_ID, cText(entry.vendorId)],
      [MESSAGE_STATE, Buffer.of(number)],
    ],
  };
}

function messageOf({ person, entry }: SessionReport): Delivery {
  const { text = '', media = [] } = entry.entry;
  // There are no files in an SMS: people send links.
  const links = media.map(({ name = '' }) => `https://sandbox.test/${encodeURIComponent(name)}`);
  const fullText = [text, ...links].filter((line) => line !== '').join('\n');
  const isGsm = gsmLength(fullText) !== undefined;
  const bytes = isGsm ? encodeGsm(fullText) : Buffer.from(fullText, 'utf16le').swap16();
  const from = {
    from: person.address.replaceAll(/\D/g, ''),
    ton: person.address.startsWith('+') ? 1 : 0,
  };
  const coding = isGsm ? 0 : UCS_2;
  if (bytes.length <= 140) return { ...from, coding, text: bytes };
  // A text of more than one segment.
  return { ...from, coding, text: Buffer.alloc(0), parameters: [[PAYLOAD, bytes]] };
}
