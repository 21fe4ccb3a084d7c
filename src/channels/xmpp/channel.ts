import { randomUUID } from 'node:crypto';

import { FetchFault } from '../../lib/http/fetch.ts';
import { isUnstyled } from '../../lib/rich-text/rich-text.ts';
import { repeat } from '../../lib/runtime/repeat.ts';
import type { Credentials } from '../../model/integration.ts';
import {
  type Blame,
  type Channel,
  type Closable,
  type Context,
  type Failure,
  type MediaRenderer,
  type VendorRequest,
  isFailure,
  matching,
} from '../channel.ts';
import { SERVER_ADDRESS } from '../credential-formats.ts';
import type { StanzaError } from './error.ts';
import { foldJid } from './jid.ts';
import { type XmppId, type XmppMessage, parseId, writeId } from './message.ts';
import { type XmppServer, findServers } from './servers.ts';
import { XmppSession } from './session.ts';
import { XmppFault } from './stream.ts';
import { hasStylingClash, stylingFormats, toStyling } from './text.ts';

/*
 * XMPP. https://www.rfc-editor.org/rfc/rfc6121#section-5
 * No length limit; servers must accept a stanza of 10,000 bytes and may refuse longer ones:
 * https://www.rfc-editor.org/rfc/rfc6120#section-13.12
 * Addresses: local@domain/resource, of which only the domain is required; each part up to 1,023 bytes:
 * https://www.rfc-editor.org/rfc/rfc7622
 * Service discovery distinguishes rooms from users: https://xmpp.org/extensions/xep-0045.html#disco-roominfo
 */
export const xmpp: Channel = {
  name: 'xmpp',
  title: 'XMPP',
  category: 'team-chat',
  summary: 'Messages to people and rooms on any XMPP server.',
  keywords: ['jabber', 'prosody', 'ejabberd', 'self-hosted'],
  docs: 'https://www.rfc-editor.org/rfc/rfc6121#section-5',
  credentials: [
    {
      name: 'username',
      label: 'JID',
      help: 'The address of the sending account, such as bot@example.org.',
      secret: false,
      format: { pattern: /^[^\s@/]+@[^\s@/]+$/, hint: 'JIDs look like bot@example.org.' },
    },
    {
      name: 'token',
      label: 'Password',
      help: 'The password of that account.',
      secret: true,
    },
    {
      name: 'address',
      label: 'Server',
      help: 'host:port, such as xmpp.example.org:5222, followed by +tls for implicit TLS. Only if the DNS records of the domain do not point to the server.',
      secret: false,
      format: SERVER_ADDRESS,
    },
    {
      name: 'consumer_key',
      label: 'Rooms to listen in',
      help: 'Such as den@rooms.example.org, separated by commas. The application receives messages from these rooms, and messages to the account in any case.',
      secret: false,
    },
  ],
  needs: [['username', 'token']],
  recipient: {
    format: 'a JID: local@domain or local@domain/resource; of a person or of a room',
    example: 'romeo@example.net',
    validate: matching(
      /^([^\s"&'/:<>@\p{Cc}]{1,1023}@)?[^\s"&'/<>@\p{Cc}]{1,1023}(\/[^\p{Cc}]{1,1023})?$/u,
      'must be a JID, such as romeo@example.net',
    ),
    consentAddress: (id) => ({ family: 'xmpp', address: foldJid(id) }),
  },
  limits: [
    {
      what: 'at least 10,000 bytes per stanza, 8,000 of them text; more if the server allows',
      link: 'https://www.rfc-editor.org/rfc/rfc6120#section-13.12',
    },
  ],
  text: {
    max: 8000,
    unit: 'bytes',
    measure: sizeInXml,
    write: toStyling,
    clashes: hasStylingClash,
    formats: stylingFormats,
  },
  renderers: {
    title: 'the subject',
    text: ({ text, rich }, { title }) => ({
      call: 'message',
      body: {
        body: text,
        ...(title !== undefined && { subject: title }),
        // Prevents clients from reading characters in it as markup.
        ...(isUnstyled(rich) && { unstyled: true }),
      },
    }),
    image: fileRenderer(),
    video: fileRenderer(),
    audio: fileRenderer(),
    document: fileRenderer(),
    reply: (request, id) => withMore(request, { reply: nameOf(parseId(id)) }),
    thread: (request, id) => withMore(request, { thread: parseId(id).message }),
  },

  async send({ body }, { key, recipient }, context) {
    const result = await sendMessage(recipient, { ...messageIn(body), id: key }, context);
    if (isFailure(result)) return result;
    return { outcome: 'sent', id: writeId(key, result.stanzaId) };
  },

  /** A correction always refers to the original message. https://xmpp.org/extensions/xep-0308.html#rules */
  async edit({ id, recipient }, { body }, context) {
    const message = { ...messageIn(body), id: randomUUID(), replaces: parseId(id).message };
    const result = await sendMessage(recipient, message, context);
    return isFailure(result) ? result : { outcome: 'sent', id };
  },

  /** A request that clients may ignore. https://xmpp.org/extensions/xep-0424.html */
  async remove({ id, recipient }, context) {
    const message = { id: randomUUID(), body: RETRACTION_NOTICE, retracts: nameOf(parseId(id)) };
    const result = await sendMessage(recipient, message, context);
    return isFailure(result) ? result : { outcome: 'sent' };
  },

  checkLogsIn: true,
  async check(context) {
    return withSession(context, (session, isNew) => {
      // The check is the only user of this connection.
      if (isNew && session.isIdle) session.quit();
      return Promise.resolve({ outcome: 'known' as const, as: session.jid });
    });
  },

  receipts: ['delivered', 'read', 'failed'],

  async listen(context) {
    const { signal, clock } = context;
    const opened = await withSession(context, (session, _, { rooms }) =>
      Promise.resolve({ session, rooms }),
    );
    if (isFailure(opened)) return opened;
    context.connected();
    const { session, rooms } = opened;
    const leave = () => session.leave();
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave);
    session.appear();
    const enter = async () => {
      for (const room of rooms) await session.stayIn(room);
    };
    const stay = repeat(enter, REJOIN_DELAY_MS, clock);
    try {
      await session.received.drain(async (received) => {
        await context.emit(received.map(({ inboundEvent }) => inboundEvent));
        for (const { receipt } of received) if (receipt) session.acknowledge(receipt);
      }, session.ended);
      return await session.ended;
    } catch (error) {
      return failureOf(error);
    } finally {
      stay.end();
      signal.removeEventListener('abort', leave);
    }
  },

  /** Received files have public URLs. */
  async media(reference) {
    return Promise.resolve({ url: reference });
  },
};

/** Clients show the file at such a URL if the message contains nothing else. */
function fileRenderer(): MediaRenderer {
  return {
    maxCaptionLength: 0,
    compose: ({ url }) => ({ call: 'message', body: { body: url, file: url, unstyled: true } }),
  };
}

function withMore(request: VendorRequest, more: object): VendorRequest {
  return { ...request, body: { ...request.body, ...more } };
}

/** The size in bytes with escapes. */
function sizeInXml(text: string): number {
  return Buffer.byteLength(text.replaceAll(/[&<>]/g, '&amp;'));
}

/** For clients without support for retraction; they show the sender's name instead of `/me`. */
const RETRACTION_NOTICE = '/me retracted an earlier message, which this client may still show.';

const nameOf = ({ message, stanzaId }: XmppId) => stanzaId ?? message;

function messageIn(body: VendorRequest['body']): Omit<XmppMessage, 'id'> {
  return body as Omit<XmppMessage, 'id'> & VendorRequest['body'];
}

async function sendMessage(
  recipient: string,
  message: XmppMessage,
  context: Context,
): Promise<Failure | { stanzaId?: string }> {
  if (message.body.trim() === '') return refuse('content', 'the message has no text');
  return withSession(context, async (session) => {
    const result = await session.send(recipient, message, context.signal);
    return 'error' in result ? classifyFailure(result.error) : result;
  });
}

function refuse(blame: Blame, detail: string): Failure {
  return { outcome: 'permanent', blame, detail };
}

/** Conditions that concern the content. */
const CONTENT_CONDITIONS = new Set(['bad-request', 'not-acceptable', 'policy-violation']);

/** https://www.rfc-editor.org/rfc/rfc6120#section-8.3.2 */
function classifyFailure({ type, condition: code, text }: StanzaError): Failure {
  const detail = text === '' ? `the server answered ${code}` : text;
  if (type === 'wait') return { outcome: 'transient', maybeSent: false, detail, code };
  const isContentError = type === 'modify' && CONTENT_CONDITIONS.has(code);
  return { outcome: 'permanent', blame: isContentError ? 'content' : 'recipient', detail, code };
}

/** After a room refused or kicked us. */
const REJOIN_DELAY_MS = 5 * 60_000;
const ROOM = /^[^\s"&'/:<>@\p{Cc}]{1,1023}@[^\s"&'/<>@\p{Cc}]{1,1023}$/u;

interface XmppSettings {
  user: string;
  domain: string;
  password: string;
  server?: XmppServer;
  /** The rooms to join even without messages to send. */
  rooms: readonly string[];
}

/** Parses the credentials; returns the problem if they are invalid. */
function readSettings(credentials: Credentials): XmppSettings | string {
  const { username = '', token = '', address = '', consumer_key: listed = '' } = credentials;
  const [, user, domain] =
    /^([^\s"&'/:<>@\p{Cc}]{1,1023})@([^\s"&'/<>@\p{Cc}]{1,1023})(?:\/|$)/u.exec(username) ?? [];
  if (user === undefined || domain === undefined) {
    return 'username must be a JID, such as bot@example.org';
  }
  if (token === '' || /\p{Cc}/u.test(token)) return 'token must be a single line';
  const rooms = listed.split(/[\s,]+/).filter((name) => name !== '');
  if (!rooms.every((name) => ROOM.test(name))) {
    return 'consumer_key must be room addresses, such as den@rooms.example.org';
  }
  const account = { user, domain, password: token, rooms };
  if (address === '') return account;
  const [, host, port, tls] =
    /^(\[[0-9A-Fa-f:.]{2,45}\]|[^\s:/[\]+]{1,253})(?::(\d{1,5}))?(\+tls)?$/.exec(address) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    return 'address must be host:port, optionally followed by +tls';
  }
  const server = {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (tls === undefined ? 5222 : 5223),
    tls: tls !== undefined,
  };
  return { ...account, server };
}

/** The connection of an integration: opened when needed, and reopened after it ends. */
class Connection implements Closable {
  #session: XmppSession | undefined;
  #connecting: Promise<XmppSession> | undefined;
  #closed = false;

  /** Concurrent callers share one session. */
  async get(open: () => Promise<XmppSession>): Promise<{ session: XmppSession; isNew: boolean }> {
    if (this.#session?.open) return { session: this.#session, isNew: false };
    const isNew = this.#connecting === undefined;
    this.#connecting ??= open().finally(() => (this.#connecting = undefined));
    const session = await this.#connecting;
    this.#session = session;
    if (this.#closed) session.quit();
    return { session, isNew };
  }

  close(): void {
    this.#closed = true;
    this.#session?.quit();
  }
}

async function connect(settings: XmppSettings, context: Context): Promise<XmppSession> {
  const { server, rooms: _, ...account } = settings;
  const servers = server ? [server] : await findServers(account.domain);
  for (const [i, { host, port, tls }] of servers.entries()) {
    try {
      const socket = await context.dial(host, port);
      const login = {
        ...account,
        tls,
        ...(server && { host }),
        // Nobody can eavesdrop on connections within this machine.
        trustsWire: /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? ''),
      };
      return await XmppSession.open(socket, login, context.signal);
    } catch (error) {
      if (!(error instanceof FetchFault) || i === servers.length - 1) throw error;
    }
  }
  throw new Error('no server found');
}

async function withSession<Result>(
  context: Context,
  work: (session: XmppSession, isNew: boolean, settings: XmppSettings) => Promise<Result>,
): Promise<Result | Failure> {
  const settings = readSettings(context.credentials);
  if (typeof settings === 'string') return refuse('credentials', settings);
  const connection = context.resource(() => new Connection());
  try {
    const { session, isNew } = await connection.get(() => connect(settings, context));
    return await work(session, isNew, settings);
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof XmppFault)) throw error;
  const { message: detail, code, maybeSent, lasting } = error;
  const result = { detail, ...(code !== undefined && { code }) };
  if (lasting) return { outcome: 'permanent', blame: 'credentials', ...result };
  return { outcome: 'transient', maybeSent, ...result };
}
