import type { Socket } from 'node:net';

import type { Peer } from '../../channels/suite.ts';
import { listenRaw } from '../server/raw.ts';

/*
 * An SMPP 3.4 server, as strict as the specification: it refuses requests before the bind, fields that are too long,
 * trailing bytes and segments that phones cannot show. https://smpp.org/SMPP_v3_4_Issue1_2.pdf
 */

export const SYSTEM_ID = 'switchboard';
export const PASSWORD = 'fake-password';

/** The answer to the next bind or message, once. */
export type SmppAnswer = { to: 'bind' | 'submit' } & (
  | { status: number }
  | { does: 'close' | 'hang' | 'garbage' }
  | { id: string }
);

/** A received `submit_sm`. */
export interface Submitted {
  source: string;
  destination: string;
  esmClass: number;
  priority: number;
  validity: string;
  registered: number;
  coding: number;
  bytes: string;
}

export interface Delivery {
  from: string;
  text: Buffer;
  ton?: number;
  esmClass?: number;
  coding?: number;
  parameters?: readonly (readonly [tag: number, value: Buffer])[];
}

export interface SmppPeer extends Peer<Submitted, SmppAnswer>, AsyncDisposable {
  readonly binds: number;
  /** Sends a `deliver_sm` over the last connection; resolves with the status of its response. */
  deliver(delivery: Delivery): Promise<number>;
  /** Sends `enquire_link`; resolves with the status of its response. */
  enquire(): Promise<number>;
  /** Ends the last connection. */
  disconnect(): void;
}

export async function openSmpp(): Promise<SmppPeer> {
  const seen: Submitted[] = [];
  const answers: SmppAnswer[] = [];
  const waiting = new Map<number, (status: number) => void>();
  let [binds, ids, sequence] = [0, 0, 0];

  const answerTo = (what: SmppAnswer['to']) => {
    const index = answers.findIndex(({ to }) => to === what);
    return index === -1 ? undefined : answers.splice(index, 1)[0];
  };

  const server = await listenRaw((socket) => {
    let bytes = Buffer.alloc(0);
    let isBound = false;
    const receive = (pdu: Buffer) => {
      const [command, status, number] = [4, 8, 12].map((at) => pdu.readUInt32BE(at));
      if (command === undefined || number === undefined) return;
      const reply = (code: number, id?: string) =>
        socket.write(pduOf(command + 0x8000_0000, code, number, text(id)));
      if (command >= 0x8000_0000) return waiting.get(number)?.(status ?? 0);
      if (command === 0x15) return reply(0);
      if (command === 0x06) return socket.end(pduOf(0x8000_0006, 0, number, Buffer.alloc(0)));
      const what = command === 0x09 ? 'bind' : 'submit';
      const answer = answerTo(what);
      if (answer && 'does' in answer) {
        if (answer.does === 'close') socket.destroy();
        if (answer.does === 'garbage') socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
        return;
      }
      if (answer && 'status' in answer) return reply(answer.status, '');
      if (what === 'bind') {
        binds++;
        const fault = bindFault(pdu.subarray(16));
        isBound = fault === 0;
        return reply(fault, 'EMULATOR');
      }
      const message = isBound && command === 0x04 ? readSubmit(pdu.subarray(16)) : 0x04;
      if (typeof message === 'number') return reply(message, '');
      seen.push(message);
      return reply(0, answer?.id ?? `00000A${++ids}`);
    };
    socket.on('data', (more) => {
      bytes = Buffer.concat([bytes, more]);
      while (bytes.length >= 16 && bytes.length >= bytes.readUInt32BE(0)) {
        const length = bytes.readUInt32BE(0);
        receive(bytes.subarray(0, length));
        bytes = bytes.subarray(length);
      }
    });
  });

  const ask = (command: number, body: Buffer) =>
    new Promise<number>((resolve) => {
      waiting.set(++sequence, resolve);
      last().write(pduOf(command, 0, sequence, body));
    });
  const last = (): Socket => {
    const socket = server.sockets.at(-1);
    if (!socket) throw new Error('nobody is connected');
    return socket;
  };
  return {
    url: `127.0.0.1:${server.port}`,
    seen,
    get binds() {
      return binds;
    },
    next: (answer) => void answers.push(answer),
    deliver: (delivery) => ask(0x05, deliverBody(delivery)),
    enquire: () => ask(0x15, Buffer.alloc(0)),
    disconnect: () => void last().destroy(),
    close: async () => server[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  };
}

const text = (value?: string) =>
  value === undefined ? Buffer.alloc(0) : Buffer.from(`${value}\0`, 'latin1');

function pduOf(command: number, status: number, sequence: number, body: Buffer): Buffer {
  const header = Buffer.alloc(16);
  for (const [i, value] of [16 + body.length, command, status, sequence].entries()) {
    header.writeUInt32BE(value, 4 * i);
  }
  return Buffer.concat([header, body]);
}

function deliverBody({ from, text: message, ton = 1, ...rest }: Delivery): Buffer {
  const { esmClass = 0, coding = 0, parameters = [] } = rest;
  return Buffer.concat([
    text(''),
    Buffer.of(ton, 1),
    text(from),
    Buffer.of(1, 1),
    text('4930123'),
    Buffer.of(esmClass, 0, 0),
    text(''),
    text(''),
    Buffer.of(0, 0, coding, 0, message.length),
    message,
    ...parameters.map(([tag, value]) => {
      const header = Buffer.alloc(4);
      header.writeUInt16BE(tag);
      header.writeUInt16BE(value.length, 2);
      return Buffer.concat([header, value]);
    }),
  ]);
}

/** A status; 0 if the bind is right. */
function bindFault(body: Buffer): number {
  const parts = body.toString('latin1').split('\0');
  const [systemId, password, type, ...rest] = parts;
  if (systemId !== SYSTEM_ID) return 0x0f;
  if (password !== PASSWORD) return 0x0e;
  return type === '' && rest.join('|') === '4|||' ? 0 : 0x0d;
}

const MAX_BYTES = { gsm: 160, ucs2: 140 };

/** The message, or the status that refuses it. */
function readSubmit(body: Buffer): Submitted | number {
  let at = 0;
  const byte = () => body[at++] ?? -1;
  const field = (max: number) => {
    const end = body.indexOf(0, at);
    const value = body.toString('latin1', at, end);
    at = end + 1;
    return end === -1 || value.length >= max ? undefined : value;
  };
  const type = field(6);
  const source = [byte(), byte(), field(21)].join(' ');
  const destination = [byte(), byte(), field(21)].join(' ');
  const [esmClass, protocol, priority] = [byte(), byte(), byte()];
  const [schedule, validity] = [field(17), field(17)];
  const [registered, replace, coding, stored, length] = [byte(), byte(), byte(), byte(), byte()];
  const message = body.subarray(at, at + length);
  if (type !== '' || protocol !== 0 || schedule !== '' || replace !== 0 || stored !== 0)
    return 0x43;
  if (at + length !== body.length) return 0x02;
  if (!/^(?:1 1 \d{7,15}|3 0 \d{3,8})$/.test(destination) || destination === '3 0 404') return 0x0b;
  if (!/^(?:0 0 |1 1 \d+|0 1 \d+|5 0 .{1,11})$/.test(source)) return 0x0a;
  if (validity === undefined || !/^(?:\d{12}000R)?$/.test(validity)) return 0x62;
  if (![0, 0x08, 0x10, 0x18].includes(coding) || ![0, 0x40].includes(esmClass)) return 0x43;
  const isSegment = esmClass === 0x40;
  const header = isSegment ? 6 : 0;
  if (isSegment && message.toString('hex', 0, 3) !== '050003') return 0x43;
  const isUcs2 = (coding & 0x08) !== 0;
  const most = isUcs2 ? MAX_BYTES.ucs2 : MAX_BYTES.gsm - (isSegment ? 7 : 0) + header;
  if (message.length > most || (isUcs2 && message.length % 2 !== 0)) return 0x01;
  if (!isUcs2 && message.subarray(header).some((code) => code > 0x7f)) return 0x43;
  const rest = { esmClass, priority, validity, registered, coding, bytes: message.toString('hex') };
  return { source, destination, ...rest };
}
