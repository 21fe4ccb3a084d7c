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
/** Of all incomplete messages together: each segment stores all of them. */
const MAX_INCOMPLETE_BYTES = 64 * 1024;

interface LongMessage {
  source: Address;
  dataCoding: number;
  /** The contents by the number of the segment. */
  parts: Map<number, Buffer>;
  since: number;
}

/** A long message in the cursor. */
interface StoredLongMessage extends Omit<LongMessage, 'parts'> {
  key: string;
  parts: [number: number, base64: string][];
}

/**
 * Parses the requests of an integration, and joins the segments of long messages. Many servers send a segment only
 * after the one before is acknowledged; segments that wait for others are therefore kept in the cursor, which is
 * stored before the acknowledgment.
 */
export class SmppInbound {
  readonly #connection = randomUUID();
  #events = 0;
  readonly #incomplete: Map<string, LongMessage>;
  #isChanged = false;

  constructor(cursor?: string) {
    this.#incomplete = new Map(cursor === undefined ? [] : readCursor(cursor));
  }

  /** `hasSent` tells whether we sent a message with this id recently. */
  parse(body: Buffer, now: number, hasSent: (id: string) => boolean): InboundEvent[] {
    const received = readMessage(body);
    const type = received.esmClass & TYPE_BITS;
    if (type === RECEIPT) return [receipt(received, hasSent)];
    if (type === INTERMEDIATE_NOTIFICATION) return [NOTHING];
    const { segment, content } = segmentOf(received);
    if (!segment || segment.total < 2) return [this.#message(received, content)];
    const { source, destination, dataCoding } = received;
    const key = [source.address, destination.address, segment.reference, segment.total].join(' ');
    const long = this.#incomplete.get(key) ?? { source, dataCoding, parts: new Map(), since: now };
    long.parts.set(segment.number, content);
    this.#incomplete.set(key, long);
    this.#isChanged = true;
    return long.parts.size < segment.total ? this.takeOverdue(now) : [this.#take(key, long)];
  }

  /** Removes long messages that are overdue or too many, and returns the segments that arrived of each as a message. */
  takeOverdue(now: number): InboundEvent[] {
    const late: InboundEvent[] = [];
    let bytes = 0;
    let count = 0;
    for (const [key, long] of [...this.#incomplete].toReversed()) {
      bytes += sizeOf(long);
      const isTooMuch = ++count > MAX_INCOMPLETE || (count > 1 && bytes > MAX_INCOMPLETE_BYTES);
      if (isTooMuch || now - long.since > MAX_WAIT_MS) late.unshift(this.#take(key, long));
    }
    return late;
  }

  /** The cursor to store with the events, if it has changed. */
  takeCursor(): string | undefined {
    if (!this.#isChanged) return undefined;
    this.#isChanged = false;
    const incomplete = [...this.#incomplete].map(
      ([key, { source, dataCoding, since, parts }]): StoredLongMessage => {
        const encoded = [...parts].map(([number, part]): [number, string] => [
          number,
          part.toString('base64'),
        ]);
        return { key, source, dataCoding, since, parts: encoded };
      },
    );
    return JSON.stringify(incomplete);
  }

  #take(key: string, { source, dataCoding, parts }: LongMessage): InboundEvent {
    this.#incomplete.delete(key);
    this.#isChanged = true;
    const ordered = [...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part);
    return this.#message({ source, dataCoding }, Buffer.concat(ordered));
  }

  #message(
    { source, dataCoding }: Pick<LongMessage, 'source' | 'dataCoding'>,
    content: Buffer,
  ): InboundEvent {
    const key = `${this.#connection}-${++this.#events}`;
    const sender = numberOf(source);
    if (!/^\+?\d{3,15}$/.test(sender)) return UNANSWERABLE;
    const text = decodeText(content, dataCoding);
    return text === undefined
      ? { what: 'unreadable', key, reason: 'unsupported', sender }
      : { what: 'message', key, from: { id: sender }, text };
  }
}

function sizeOf({ parts }: LongMessage): number {
  let bytes = 0;
  for (const part of parts.values()) bytes += part.length;
  return bytes;
}

function readCursor(cursor: string): [string, LongMessage][] {
  const stored = JSON.parse(cursor) as StoredLongMessage[];
  return stored.map(({ key, source, dataCoding, since, parts }) => {
    const decoded = parts.map(([number, part]): [number, Buffer] => [
      number,
      Buffer.from(part, 'base64'),
    ]);
    return [key, { source, dataCoding, since, parts: new Map(decoded) }];
  });
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
