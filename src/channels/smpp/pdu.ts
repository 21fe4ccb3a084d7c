/*
 * The PDUs of SMPP 3.4 that we use. https://smpp.org/SMPP_v3_4_Issue1_2.pdf, sections 3 and 4
 */

export const COMMANDS = {
  genericNack: 0x8000_0000,
  bindTransceiver: 0x09,
  unbind: 0x06,
  submitSm: 0x04,
  deliverSm: 0x05,
  enquireLink: 0x15,
} as const;

/** Added to the command of a request. */
export const RESPONSE = 0x8000_0000;

export interface Pdu {
  command: number;
  status: number;
  sequence: number;
  body: Buffer;
}

const HEADER_BYTES = 16;
/** The longest payload of a message has 64 KiB. */
const MAX_PDU_BYTES = 72 * 1024;

export function writePdu({ command, status, sequence, body }: Pdu): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(HEADER_BYTES + body.length);
  header.writeUInt32BE(command >>> 0, 4);
  header.writeUInt32BE(status, 8);
  header.writeUInt32BE(sequence, 12);
  return Buffer.concat([header, body]);
}

/** Splits received bytes into PDUs. */
export class PduReader {
  #bytes: Buffer = Buffer.alloc(0);

  /** Returns `malformed` if the length of a PDU is impossible; the connection is then unusable. */
  read(more: Buffer): Pdu[] | 'malformed' {
    this.#bytes = this.#bytes.length === 0 ? more : Buffer.concat([this.#bytes, more]);
    const pdus: Pdu[] = [];
    while (this.#bytes.length >= HEADER_BYTES) {
      const length = this.#bytes.readUInt32BE(0);
      if (length < HEADER_BYTES || length > MAX_PDU_BYTES) return 'malformed';
      if (this.#bytes.length < length) break;
      pdus.push({
        command: this.#bytes.readUInt32BE(4),
        status: this.#bytes.readUInt32BE(8),
        sequence: this.#bytes.readUInt32BE(12),
        // A copy: a slice would keep the whole received buffer in memory.
        body: Buffer.from(this.#bytes.subarray(HEADER_BYTES, length)),
      });
      this.#bytes = this.#bytes.subarray(length);
    }
    return pdus;
  }
}

/** A C string. The text must not contain NUL. */
export const cString = (text: string): Buffer => Buffer.from(`${text}\0`, 'latin1');

/** Reads the fields of a body in order. Missing bytes read as zero. */
export class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const text = this.#bytes.toString('latin1', this.#at, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#bytes.length : end + 1;
    return text;
  }

  bytes(length: number): Buffer {
    const found = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return found;
  }

  /** The optional parameters at the end, by tag. */
  parameters(): Map<number, Buffer> {
    const found = new Map<number, Buffer>();
    while (this.#at + 4 <= this.#bytes.length) {
      const tag = this.#bytes.readUInt16BE(this.#at);
      const length = this.#bytes.readUInt16BE(this.#at + 2);
      this.#at += 4;
      found.set(tag, this.bytes(length));
    }
    return found;
  }
}

export interface Address {
  ton: number;
  npi: number;
  address: string;
}

/** A message as in `submit_sm` and `deliver_sm`. */
export interface ShortMessage {
  source: Address;
  destination: Address;
  esmClass: number;
  priority: number;
  validity: string;
  registeredDelivery: number;
  dataCoding: number;
  message: Buffer;
}

export function writeMessage(message: ShortMessage): Buffer {
  const { source, destination } = message;
  return Buffer.concat([
    cString(''),
    writeAddress(source),
    writeAddress(destination),
    Buffer.of(message.esmClass, 0, message.priority),
    cString(''),
    cString(message.validity),
    Buffer.of(message.registeredDelivery, 0, message.dataCoding, 0, message.message.length),
    message.message,
  ]);
}

const writeAddress = ({ ton, npi, address }: Address) =>
  Buffer.concat([Buffer.of(ton, npi), cString(address)]);

const MESSAGE_PAYLOAD = 0x0424;

export type ReceivedShortMessage = ShortMessage & { parameters: Map<number, Buffer> };

export function readMessage(body: Buffer): ReceivedShortMessage {
  const fields = new Fields(body);
  fields.text();
  const source = readAddress(fields);
  const destination = readAddress(fields);
  const [esmClass, , priority] = [fields.byte(), fields.byte(), fields.byte()];
  fields.text();
  const validity = fields.text();
  const [registeredDelivery, , dataCoding] = [fields.byte(), fields.byte(), fields.byte()];
  fields.byte();
  const short = fields.bytes(fields.byte());
  const parameters = fields.parameters();
  const message = short.length > 0 ? short : (parameters.get(MESSAGE_PAYLOAD) ?? short);
  const rest = { esmClass, priority, validity, registeredDelivery, dataCoding, message };
  return { source, destination, ...rest, parameters };
}

const readAddress = (fields: Fields): Address => ({
  ton: fields.byte(),
  npi: fields.byte(),
  address: fields.text(),
});
