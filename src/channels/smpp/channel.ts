import { createHash } from 'node:crypto';

import { repeat } from '../../lib/runtime/repeat.ts';
import type { Credentials } from '../../model/integration.ts';
import {
  type Channel,
  type Closable,
  type Context,
  type Failure,
  type VendorRequest,
  isFailure,
  matching,
} from '../channel.ts';
import { numberWithPlus, phoneAddress } from '../consent-address.ts';
import { SERVER_ADDRESS } from '../credential-formats.ts';
import type { ListenContext } from '../inbound.ts';
import { SmppInbound } from './inbound.ts';
import { OPTIONS, sourceOf, validityOf, withOptions } from './options.ts';
import { COMMANDS, type Pdu, type ShortMessage, writeMessage } from './pdu.ts';
import { SmppFault, type SmppLogin, SmppSession, messageId } from './session.ts';
import { failureOf, outcomeOf } from './status.ts';
import { MAX_LENGTH, encodeText, measure } from './text.ts';

/*
 * SMPP 3.4: SMS through the server of an operator or aggregator. https://smpp.org/SMPP_v3_4_Issue1_2.pdf
 * One session sends and receives (bind_transceiver). A long text is sent in segments with the same reference, which a
 * retry repeats, so that phones join them; its receipt is the one of the last segment. The window, the number of
 * requests without a response, is `concurrency`.
 */
const SPECIFICATION = 'https://smpp.org/SMPP_v3_4_Issue1_2.pdf';
const MAX_UNANSWERED = 10;

export const smpp: Channel = {
  name: 'smpp',
  title: 'SMPP',
  category: 'sms',
  summary: 'SMS through any SMS center or aggregator that speaks SMPP.',
  keywords: ['text', 'texting', 'phone', 'number', 'smsc', 'aggregator', 'carrier'],
  docs: SPECIFICATION,
  credentials: [
    {
      name: 'address',
      label: 'Server',
      help: 'host:port, followed by +tls for TLS, as your SMS provider states it. The port is 2775 by default, with TLS 3550.',
      secret: false,
      format: SERVER_ADDRESS,
    },
    {
      name: 'username',
      label: 'System ID',
      help: 'The system_id of your account, up to 15 characters.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'Password',
      help: 'The password of your account, up to 8 characters by the standard; many servers accept more.',
      secret: true,
    },
  ],
  needs: [['address', 'username', 'secret']],
  recipient: {
    format: 'a phone number with + and country code, or a short code of 3 to 8 digits',
    example: '+491512345678',
    validate: matching(
      /^(?:\+[1-9]\d{6,14}|\d{3,8})$/,
      'must be a phone number with + and country code, or a short code of 3 to 8 digits',
    ),
    consentAddress: phoneAddress,
    normalize: numberWithPlus,
  },
  limits: [
    {
      what: '10 segments per message: 1,530 characters in the GSM alphabet, otherwise 670',
      link: SPECIFICATION,
    },
  ],
  text: { max: MAX_LENGTH, measure, isSms: () => true },
  renderers: {
    text: ({ text }) => ({ call: 'submit_sm', body: { text } }),
    options: withOptions,
  },
  options: OPTIONS,
  concurrency: MAX_UNANSWERED,
  receipts: ['delivered', 'failed'],
  expires: true,

  async send({ body }, { recipient, key }, context) {
    const messages = messagesOf(body, recipient, key, context.clock.now());
    return withSession(context, async (session) => {
      let answer: Pdu | undefined;
      for (const message of messages) {
        answer = await session.request(COMMANDS.submitSm, writeMessage(message), context.signal);
        if (answer.status !== 0) return failureOf(answer.status);
      }
      const id = answer && messageId(answer);
      if (id === undefined) return { outcome: 'sent' };
      session.remember(id);
      return { outcome: 'sent', id };
    });
  },

  checksSession: true,
  checkLogsIn: true,
  async check(context) {
    return withSession(context, (session, { isNew }) => {
      // The check is the only user of this connection.
      if (isNew) session.unbind();
      const { username = '' } = context.credentials;
      return Promise.resolve({ outcome: 'known' as const, as: username });
    });
  },

  async listen(context) {
    const opened = await withSession(context, (session) => Promise.resolve({ session }));
    if (isFailure(opened)) return opened;
    context.connected();
    const { session } = opened;
    const leave = () => session.unbind();
    if (context.signal.aborted) leave();
    context.signal.addEventListener('abort', leave);
    try {
      await receive(session, context);
      return await session.ended;
    } catch (error) {
      if (error instanceof SmppFault) return outcomeOf(error);
      throw error;
    } finally {
      context.signal.removeEventListener('abort', leave);
    }
  },
};

const FLUSH_EVERY_MS = 60_000;

/** Stores what arrives and acknowledges it afterwards, so that the server keeps what we could not store. */
async function receive(session: SmppSession, context: ListenContext): Promise<void> {
  const inbound = new SmppInbound(context.cursor);
  const hasSent = (id: string) => session.hasSent(id);
  const flush = async () => {
    const late = inbound.takeOverdue(context.clock.now());
    if (late.length > 0) await context.emit(late, inbound.takeCursor());
  };
  const flushing = repeat(flush, FLUSH_EVERY_MS, context.clock);
  try {
    await session.received.drain(async (pdus) => {
      const now = context.clock.now();
      const events = pdus.flatMap(({ body }) => inbound.parse(body, now, hasSent));
      const cursor = inbound.takeCursor();
      if (events.length > 0 || cursor !== undefined) await context.emit(events, cursor);
      for (const pdu of pdus) session.acknowledge(pdu);
    }, session.ended);
  } finally {
    flushing.end();
  }
}

const SEGMENTED = 0x40;
const UCS_2 = 0x08;
/**
 * Message class 0: shown at once, and not stored. SMPP 3.4, section 5.2.19, has message classes in the GSM alphabet only;
 * 3GPP TS 23.038, section 4, has them in UCS-2 too.
 */
const FLASH = { gsm: 0xf0, ucs2: 0x18 };
const INTERNATIONAL = { ton: 1, npi: 1 };
const NETWORK_SPECIFIC = { ton: 3, npi: 0 };

/** One `submit_sm` per segment. */
function messagesOf(
  body: VendorRequest['body'],
  recipient: string,
  key: string,
  now: number,
): ShortMessage[] {
  const { text, flash, priority } = body;
  const reference = createHash('sha256').update(key).digest()[0] ?? 0;
  const { isGsm, segments } = encodeText(String(text), reference);
  const kind = recipient.startsWith('+') ? INTERNATIONAL : NETWORK_SPECIFIC;
  return segments.map((message, i) => ({
    source: sourceOf(body),
    destination: { ...kind, address: recipient.replace('+', '') },
    esmClass: segments.length > 1 ? SEGMENTED : 0,
    priority: typeof priority === 'number' ? priority : 0,
    validity: validityOf(body, now),
    registeredDelivery: i === segments.length - 1 ? 1 : 0,
    dataCoding: codingOf(isGsm, flash === true),
    message,
  }));
}

function codingOf(isGsm: boolean, isFlash: boolean): number {
  if (isFlash) return isGsm ? FLASH.gsm : FLASH.ucs2;
  return isGsm ? 0 : UCS_2;
}

interface ConnectionSettings {
  host: string;
  port: number;
  tls: boolean;
  login: SmppLogin;
}

/** Parses the credentials; returns the problem if they are invalid. */
function readSettings({
  address = '',
  username = '',
  secret = '',
}: Credentials): ConnectionSettings | string {
  const [, host, port, secure] =
    /^(\[[0-9A-Fa-f:.]{2,45}\]|[^\s:/[\]+]{1,253})(?::(\d{1,5}))?(\+tls)?$/.exec(address) ?? [];
  if (!host || Number(port) > 65_535)
    return 'address must be host:port, optionally followed by +tls';
  if (!/^[\x21-\x7e]{1,15}$/.test(username)) return 'username must be 1 to 15 ASCII characters';
  if (!/^[\x20-\x7e]{1,64}$/.test(secret)) return 'secret must be 1 to 64 ASCII characters';
  const tls = secure !== undefined;
  return {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (tls ? 3550 : 2775),
    tls,
    login: { systemId: username, password: secret },
  };
}

/** The session of an integration: opened when needed, and reopened after it ends. */
class Link implements Closable {
  #session: SmppSession | undefined;
  #opening: Promise<SmppSession> | undefined;
  #isClosed = false;

  get isOpen(): boolean {
    return this.#session?.open === true;
  }

  async session(settings: ConnectionSettings, context: Context): Promise<SmppSession> {
    if (this.#session?.open) return this.#session;
    this.#opening ??= connect(settings, context).finally(() => (this.#opening = undefined));
    this.#session = await this.#opening;
    if (this.#isClosed) this.#session.unbind();
    return this.#session;
  }

  close(): void {
    this.#isClosed = true;
    this.#session?.unbind();
  }
}

async function connect({ host, port, tls, login }: ConnectionSettings, context: Context) {
  const socket = await context.dial(host, port, { tls });
  return SmppSession.open(socket, login, context.signal);
}

async function withSession<Result>(
  context: Context,
  work: (session: SmppSession, link: { isNew: boolean }) => Promise<Result>,
): Promise<Result | Failure> {
  const settings = readSettings(context.credentials);
  if (typeof settings === 'string') {
    return { outcome: 'permanent', blame: 'credentials', detail: settings };
  }
  const link = context.resource(() => new Link());
  try {
    const isNew = !link.isOpen;
    return await work(await link.session(settings, context), { isNew });
  } catch (error) {
    if (error instanceof SmppFault) return outcomeOf(error);
    throw error;
  }
}
