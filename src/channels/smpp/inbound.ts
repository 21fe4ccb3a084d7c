import { randomUUID } from 'node:crypto';

import { type InboundEvent, NOTHING, type Receipt } from '../inbound.ts';
import { type Address, type ReceivedShortMessage, readMessage } from './pdu.ts';
import { normalizeId } from './session.ts';
import { decodeText } from './text.ts';

/* Parses `deliver_sm`: messages from phones, and delivery receipts. SMPP 3.4, sections 4.6 and 5.3, appendix B */

/** The type of a `deliver_sm`. SMPP 3.4, section 5.2.12 */
const TYPE_BITS = 0x3c;
const RECEIPT = 0x04;
/** Says that the message is still in transit. */
const INTERMEDIATE_NOTIFICATION = 0x20;
const HAS_HEADER = 0x40;
const TAGS = {
  receiptedId: 0x001e,
  state: 0x0427,
  reference: 0x020c,
  total: 0x020e,
  number: 0x020f,
} as const;

/** How long a long message may stay incomplete. */
const MAX_WAIT_MS = 5 * 60_000;
const MAX_INCOMPLETE = 100;

interface Long {
  parts: Map<number, Buffer>;
  first: ReceivedShortMessage;
  since: number;
}

/** A received PDU as events, and the long message that they complete. */
export interface Parsed {
  events: InboundEvent[];
  completes?: string;
}

/** Parses the requests of one connection, and joins the segments of long messages. */
export class SmppInbound {
  readonly #connection = randomUUID();
  #events = 0;
  readonly #incomplete = new Map<string, Long>();

  /** `hasSent` tells whether we sent a message with this id recently. */
  parse(body: Buffer, now: number, hasSent: (id: string) => boolean): Parsed {
    const received = readMessage(body);
    const type = received.esmClass & TYPE_BITS;
    if (type === RECEIPT) return { events: [receipt(received, hasSent)] };
    if (type === INTERMEDIATE_NOTIFICATION) return { events: [NOTHING] };
    const { segment, content } = segmentOf(received);
    if (!segment || segment.total < 2) return { events: [this.#message(received, content)] };
    const { source, destination } = received;
    const key = [source.address, destination.address, segment.reference, segment.total].join(' ');
    const long = this.#incomplete.get(key) ?? { parts: new Map(), first: received, since: now };
    long.parts.set(segment.number, content);
    this.#incomplete.set(key, long);
    if (long.parts.size < segment.total) return { events: this.takeOverdue(now) };
    return { events: [this.#whole(long)], completes: key };
  }

  /** Call this once the events are stored. */
  forget(key: string | undefined): void {
    if (key !== undefined) this.#incomplete.delete(key);
  }

  /** Long messages that did not become complete: what arrived of them. */
  takeOverdue(now: number): InboundEvent[] {
    const late = [...this.#incomplete].filter(
      ([, { since }], i) => now - since > MAX_WAIT_MS || i < this.#incomplete.size - MAX_INCOMPLETE,
    );
    return late.map(([key, long]) => this.#take(key, long));
  }

  #take(key: string, long: Long): InboundEvent {
    this.#incomplete.delete(key);
    return this.#whole(long);
  }

  #whole({ parts, first }: Long): InboundEvent {
    const ordered = [...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part);
    return this.#message(first, Buffer.concat(ordered));
  }

  #message({ source, dataCoding }: ReceivedShortMessage, content: Buffer): InboundEvent {
    const key = `${this.#connection}-${++this.#events}`;
    const sender = numberOf(source);
    if (!/^\+?\d{3,15}$/.test(sender)) return UNANSWERABLE;
    const text = decodeText(content, dataCoding);
    return text === undefined
      ? { what: 'unreadable', key, reason: 'unsupported', sender }
      : { what: 'message', key, from: { id: sender }, text };
  }
}

/** A sender with letters. */
const UNANSWERABLE: InboundEvent = {
  what: 'ignored',
  type: 'deliver_sm',
  reason: 'unanswerable',
};

const INTERNATIONAL = 1;

/** Many servers do not mark international numbers; shorter ones are short codes. */
function numberOf({ ton, address }: Address): string {
  const isInternational = ton === INTERNATIONAL || address.length > 8;
  return isInternational && /^[1-9]\d{6,14}$/.test(address) ? `+${address}` : address;
}

interface Segment {
  reference: number;
  total: number;
  number: number;
}

/** The position of a segment, from its header or from parameters. 3GPP TS 23.040, section 9.2.3.24 */
function segmentOf({ esmClass, message, parameters }: ReceivedShortMessage): {
  segment?: Segment;
  content: Buffer;
} {
  if ((esmClass & HAS_HEADER) === 0) {
    const [reference, total, number] = [TAGS.reference, TAGS.total, TAGS.number].map((tag) =>
      integerOf(parameters.get(tag)),
    );
    const isSegment = reference !== undefined && total !== undefined && number !== undefined;
    return isSegment
      ? { segment: { reference, total, number }, content: message }
      : { content: message };
  }
  const end = 1 + (message[0] ?? 0);
  const content = message.subarray(end);
  for (let i = 1; i + 1 < end; i += 2 + (message[i + 1] ?? 0)) {
    const [kind, length] = [message[i], message[i + 1]];
    const isLong = (kind === 0 && length === 3) || (kind === 8 && length === 4);
    if (!isLong) continue;
    const [total = 0, number = 0] = message.subarray(i + length, i + 2 + length);
    const reference = integerOf(message.subarray(i + 2, i + length)) ?? 0;
    return { segment: { reference, total, number }, content };
  }
  return { content };
}

function integerOf(bytes: Buffer | undefined): number | undefined {
  return bytes && bytes.length > 0 && bytes.length <= 4
    ? bytes.readUIntBE(0, bytes.length)
    : undefined;
}

const STATES: Readonly<Record<string, Receipt['state']>> = {
  DELIVRD: 'delivered',
  EXPIRED: 'failed',
  DELETED: 'failed',
  UNDELIV: 'failed',
  REJECTD: 'failed',
};
/** By `message_state`. SMPP 3.4, section 5.2.28 */
const NAMES = [
  '',
  'ENROUTE',
  'DELIVRD',
  'EXPIRED',
  'DELETED',
  'UNDELIV',
  'ACCEPTD',
  'UNKNOWN',
  'REJECTD',
];

function receipt(
  { message, parameters }: ReceivedShortMessage,
  hasSent: (id: string) => boolean,
): InboundEvent {
  const text = message.toString('latin1');
  const named = parameters.get(TAGS.receiptedId)?.toString('latin1').replace(/\0.*$/s, '');
  const id = named ?? /\bid:\s*([^\s]+)/i.exec(text)?.[1] ?? '';
  const numbered = NAMES[integerOf(parameters.get(TAGS.state)) ?? 0] || undefined;
  const status = numbered ?? /\bstat:\s*(\w+)/i.exec(text)?.[1]?.toUpperCase() ?? '';
  const state = STATES[status];
  if (state === undefined || id === '') return NOTHING;
  const code = /\berr:\s*(\w+)/i.exec(text)?.[1];
  const why = state === 'failed' ? { detail: status, ...(code !== undefined && { code }) } : {};
  return { what: 'receipt', id: sentId(normalizeId(id), hasSent), state, ...why };
}

/** Some servers write the id in hexadecimal in the response and in decimal in the receipt, or the reverse. */
function sentId(id: string, hasSent: (id: string) => boolean): string {
  if (hasSent(id)) return id;
  const others = [
    ...(/^\d{1,30}$/.test(id) ? [BigInt(id).toString(16)] : []),
    ...(/^[\da-f]{1,30}$/.test(id) ? [BigInt(`0x${id}`).toString()] : []),
  ];
  return others.find((other) => hasSent(other)) ?? id;
}
