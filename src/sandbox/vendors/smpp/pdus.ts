/*
 * The PDUs of SMPP 3.4 from the server's side, independent of the channel's. As strict as the specification: fields that
 * are too long, trailing bytes and segments that phones cannot show are refused.
 * https://smpp.org/SMPP_v3_4_Issue1_2.pdf
 */

export const RESPONSE = 0x8000_0000;

/** A received `submit_sm`. */
export interface Submitted {
  source: string;
  destination: string;
  esmClass: number;
  priority: number;
  validity: string;
  registered: number;
  coding: number;
  /** In hexadecimal. */
  bytes: string;
}

/** A `deliver_sm` to the application. */
export interface Delivery {
  from: string;
  text: Buffer;
  ton?: number;
  esmClass?: number;
  coding?: number;
  parameters?: readonly (readonly [tag: number, value: Buffer])[];
}

const HEADER_BYTES = 16;
/** The longest payload of a message has 64 KiB. */
const MAX_PDU_BYTES = 72 * 1024;

/** Splits received bytes into PDUs, with their headers. */
export class PduSplitter {
  #bytes: Buffer = Buffer.alloc(0);

  /** Undefined if the bytes are no PDUs. */
  split(more: Buffer): Buffer[] | undefined {
    this.#bytes = Buffer.concat([this.#bytes, more]);
    const pdus: Buffer[] = [];
    while (this.#bytes.length >= HEADER_BYTES) {
      const length = this.#bytes.readUInt32BE(0);
      if (length < HEADER_BYTES || length > MAX_PDU_BYTES) return undefined;
      if (this.#bytes.length < length) break;
      pdus.push(this.#bytes.subarray(0, length));
      this.#bytes = this.#bytes.subarray(length);
    }
    return pdus;
  }
}

export const headerOf = (pdu: Buffer): { command: number; status: number; sequence: number } => ({
  command: pdu.readUInt32BE(4),
  status: pdu.readUInt32BE(8),
  sequence: pdu.readUInt32BE(12),
});

export const bodyOf = (pdu: Buffer): Buffer => pdu.subarray(HEADER_BYTES);

export const cText = (value: string): Buffer => Buffer.from(`${value}\0`, 'latin1');

export function pduOf(command: number, status: number, sequence: number, body: Buffer): Buffer {
  const header = Buffer.alloc(16);
  for (const [i, value] of [16 + body.length, command, status, sequence].entries()) {
    header.writeUInt32BE(value, 4 * i);
  }
  return Buffer.concat([header, body]);
}

export function deliverBody({ from, text: message, ton = 1, ...rest }: Delivery): Buffer {
  const { esmClass = 0, coding = 0, parameters = [] } = rest;
  return Buffer.concat([
    cText(''),
    Buffer.of(ton, 1),
    cText(from),
    Buffer.of(1, 1),
    cText('4930123'),
    Buffer.of(esmClass, 0, 0),
    cText(''),
    cText(''),
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

/** The status of the response to a bind; 0 if the bind is valid. */
export function bindFault(body: Buffer, login: { systemId: string; password: string }): number {
  const parts = body.toString('latin1').split('\0');
  const [systemId, password, type, ...rest] = parts;
  if (systemId !== login.systemId) return 0x0f;
  if (password !== login.password) return 0x0e;
  return type === '' && rest.join('|') === '4|||' ? 0 : 0x0d;
}

const MAX_BYTES = { gsm: 160, ucs2: 140 };

/** The message, or the status that refuses it. */
export function readSubmit(body: Buffer): Submitted | number {
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
  if (priority > 3) return 0x06;
  if (!/^(?:1 1 \d{7,15}|3 0 \d{3,8})$/.test(destination) || destination === '3 0 404') return 0x0b;
  if (!/^(?:0 0 |1 1 \d+|0 1 \d+|5 0 .{1,11})$/.test(source)) return 0x0a;
  if (validity === undefined || !/^(?:\d{12}000R)?$/.test(validity)) return 0x62;
  if (![0, 0x08, 0xf0, 0x18].includes(coding) || ![0, 0x40].includes(esmClass)) return 0x43;
  const isSegment = esmClass === 0x40;
  const header = isSegment ? 6 : 0;
  if (isSegment && message.toString('hex', 0, 3) !== '050003') return 0x43;
  const isUcs2 = (coding & 0x08) !== 0;
  const maxBytes = isUcs2 ? MAX_BYTES.ucs2 : MAX_BYTES.gsm - (isSegment ? 7 : 0) + header;
  if (message.length > maxBytes || (isUcs2 && message.length % 2 !== 0)) return 0x01;
  if (!isUcs2 && message.subarray(header).some((code) => code > 0x7f)) return 0x43;
  const rest = { esmClass, priority, validity, registered, coding, bytes: message.toString('hex') };
  return { source, destination, ...rest };
}
