import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

import type { Element, Xml } from '@xmpp/client';

import { Inbox } from '../../lib/runtime/inbox.ts';
import { STANZA_ERRORS, type StanzaError, errorIn } from './error.ts';
import { XmppReader, type XmppInbound } from './inbound.ts';
import { bareOf, domainOf, localPart } from './jid.ts';
import { type XmppLogin, logIn } from './login.ts';
import { type XmppMessage, stanzaIdIn, writeMessage } from './message.ts';
import { XmppRooms } from './rooms.ts';
import { XmppFault, XmppStream } from './stream.ts';

/*
 * One connection to an XMPP server, from login to its end.
 * Servers report errors but do not confirm messages. They respond in order, so each message is followed by a ping
 * (https://xmpp.org/extensions/xep-0199.html) to our own server, and one to the recipient's, which takes the same
 * route as the message. The errors received before the pongs are the response.
 */

/** The result of a message: its error, or the id that the room assigned to it, if any. */
type SendResult = { error: StanzaError } | { stanzaId?: string };

const PING = 'urn:xmpp:ping';

/** Milliseconds to wait for the recipient's server after our own has accepted the message. */
const BOUNCE_WAIT_MS = 5000;
/** Milliseconds between pings to the server. */
const PING_INTERVAL_MS = 60_000;

/** Maximum size of received messages not yet processed, in characters, including overhead. */
const MAX_INBOX_LENGTH = 2 * 1024 * 1024;
const ENTRY_OVERHEAD = 1000;

interface PendingRequest {
  to: string;
  settle(answer: Element | undefined): void;
}

export class XmppSession {
  readonly #xml: Xml;
  readonly #stream: XmppStream;
  readonly #rooms: XmppRooms;
  readonly #jid: string;
  /** Pending requests and messages, by id. */
  readonly #queries = new Map<string, (answer: Element) => void>();
  readonly #sent = new Map<string, PendingRequest>();
  readonly #timer: NodeJS.Timeout;
  readonly #reader: XmppReader;
  /** Messages received since the connection was opened. */
  readonly received = new Inbox<XmppInbound>(MAX_INBOX_LENGTH, sizeOf);
  #hasAppeared = false;
  #isLeaving = false;
  #pending = 0;

  private constructor(xml: Xml, stream: XmppStream, jid: string) {
    this.#xml = xml;
    this.#stream = stream;
    this.#jid = jid;
    this.#rooms = new XmppRooms(xml, stream, localPart(jid));
    this.#reader = new XmppReader({
      self: bareOf(jid),
      isRoom: (bare) => this.#rooms.isRoom(bare) ?? false,
      isSelf: (who) => this.#rooms.isSelf(who),
    });
    let alive = true;
    this.#timer = setInterval(() => {
      if (!alive) stream.giveUp('the server stopped responding');
      alive = false;
      void this.#ping(domainOf(jid)).then(() => (alive = true));
    }, PING_INTERVAL_MS).unref();
    stream.listen((element) => this.#receive(element));
    stream.ended.catch(() => clearInterval(this.#timer));
  }

  /** Logs in over a socket. Rejects with an XmppFault, after closing the socket. */
  static async open(socket: Socket, login: XmppLogin, signal: AbortSignal): Promise<XmppSession> {
    // Imported on first use, to save startup time and memory.
    const { xml } = await import('@xmpp/client');
    const stream = new XmppStream(xml, socket, login.domain);
    const onAbort = () => stream.giveUp('the server did not answer in time');
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    try {
      return new XmppSession(xml, stream, await logIn(stream, xml, login));
    } catch (error) {
      stream.giveUp('the login failed');
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Our address, without the resource. */
  get jid(): string {
    return bareOf(this.#jid);
  }

  get open(): boolean {
    return this.#stream.isOpen;
  }

  get isIdle(): boolean {
    return this.#pending === 0;
  }

  /** Rejects with an XmppFault when the connection ends. */
  get ended(): Promise<never> {
    return this.#stream.ended;
  }

  quit(): void {
    this.#stream.close();
  }

  /** Disconnects after all pending work. */
  leave(): void {
    this.#isLeaving = true;
    if (this.isIdle) this.quit();
  }

  /** Sends presence, so that the server delivers messages, including stored ones. */
  appear(): void {
    if (!this.#hasAppeared) this.#stream.send(this.#xml('presence'));
    this.#hasAppeared = true;
  }

  /** Joins a room, and rejoins it if necessary and allowed. */
  async stayIn(room: string): Promise<void> {
    if (!this.open) return;
    const self = this.#rooms.selfIn(room);
    // A restarted room has forgotten us. https://xmpp.org/extensions/xep-0410.html
    const answer =
      self && (await Promise.race([this.#ask(self, this.#xml('ping', { xmlns: PING })), late()]));
    if (answer && errorIn(answer).condition === 'not-acceptable') this.#rooms.forget(room);
    const isAnswered = this.#rooms.join(room).then(() => true);
    const isPresent = await Promise.race([isAnswered, late(), this.ended]);
    if (!isPresent) this.#rooms.forget(room);
  }

  /** Sends a delivery receipt. https://xmpp.org/extensions/xep-0184.html */
  acknowledge({ to, id }: { to: string; id: string }): void {
    const received = this.#xml('received', { xmlns: 'urn:xmpp:receipts', id });
    this.#stream.send(this.#xml('message', { to, type: 'chat' }, received));
  }

  /**
   * Sends a message; joins the room first if the address is one. Returns the error if it was not sent. Rejects with
   * an XmppFault when the stream ends first.
   */
  async send(to: string, message: XmppMessage, signal: AbortSignal): Promise<SendResult> {
    this.#pending++;
    try {
      return await this.#send(to, message, signal);
    } finally {
      this.#pending--;
      if (this.#isLeaving && this.isIdle) this.quit();
    }
  }

  async #send(to: string, message: XmppMessage, signal: AbortSignal): Promise<SendResult> {
    const room = (await this.#isRoom(to, signal)) ? bareOf(to) : undefined;
    if (room !== undefined) {
      const refusal = await this.#until(this.#rooms.join(room), signal, false);
      if (refusal) return { error: errorIn(refusal) };
    }
    const isGroupChat = room !== undefined && !to.includes('/');
    const stanza = writeMessage(this.#xml, to, message, isGroupChat);
    // In a room, a ping to ourselves takes the same route as messages. https://xmpp.org/extensions/xep-0410.html
    const pingTarget = (isGroupChat && this.#rooms.selfIn(room)) || domainOf(to);
    const answer = await this.#deliver(stanza, { to, pingTarget, id: message.id }, signal);
    if (!answer) return {};
    if (answer.attrs['type'] !== 'error') {
      const stanzaId = stanzaIdIn(answer, bareOf(to));
      return stanzaId === undefined ? {} : { stanzaId };
    }
    // Kicked while sending; the next attempt joins again.
    const error = errorIn(answer);
    if (room === undefined || error.condition !== 'not-acceptable') return { error };
    this.#rooms.forget(room);
    return { error: { ...error, type: 'wait' } };
  }

  /** The error or echo, if one arrived. */
  async #deliver(
    stanza: Element,
    { to, pingTarget, id }: { to: string; pingTarget: string; id: string },
    signal: AbortSignal,
  ): Promise<Element | undefined> {
    if (!this.open) throw new XmppFault('the connection ended', {});
    const { promise: answered, resolve: settle } = Promise.withResolvers<Element | undefined>();
    this.#sent.set(id, { to, settle });
    this.#stream.send(stanza);
    const near = this.#ping(domainOf(this.#jid));
    const far = pingTarget === domainOf(this.#jid) ? near : this.#ping(pingTarget);
    try {
      await this.#until(Promise.race([answered, near]), signal, true);
      // Our server has accepted the message. Errors of the recipient's server may take longer.
      const late = AbortSignal.any([signal, AbortSignal.timeout(BOUNCE_WAIT_MS)]);
      await Promise.race([answered, far, aborted(late), this.#stream.ended]).catch(() => {});
      settle(undefined);
      return await answered;
    } finally {
      this.#sent.delete(id);
    }
  }

  /** Rooms identify themselves. https://xmpp.org/extensions/xep-0045.html#disco-roominfo */
  async #isRoom(to: string, signal: AbortSignal): Promise<boolean> {
    const bare = bareOf(to);
    if (!bare.includes('@')) return false;
    const cached = this.#rooms.isRoom(bare);
    if (cached !== undefined) return cached;
    const query = this.#xml('query', { xmlns: 'http://jabber.org/protocol/disco#info' });
    const late = AbortSignal.any([signal, AbortSignal.timeout(BOUNCE_WAIT_MS)]);
    const answer = await this.#until(
      Promise.race([this.#ask(bare, query), aborted(late)]),
      signal,
      false,
    );
    const isRoom = answer?.getChild('query')?.getChildren('identity').some(isConference) ?? false;
    if (answer && isFinal(answer)) this.#rooms.cacheKind(bare, isRoom);
    return isRoom;
  }

  #ping(to: string): Promise<Element> {
    return this.#ask(to, this.#xml('ping', { xmlns: PING }));
  }

  #ask(to: string, what: Element): Promise<Element> {
    const { promise, resolve } = Promise.withResolvers<Element>();
    // Unguessable, so that others cannot forge a response.
    const id = randomUUID();
    const timer = setTimeout(() => this.#queries.delete(id), PING_INTERVAL_MS).unref();
    this.#queries.set(id, (answer) => {
      clearTimeout(timer);
      this.#queries.delete(id);
      resolve(answer);
    });
    this.#stream.send(this.#xml('iq', { type: 'get', to, id }, what));
    return promise;
  }

  /** Waits for the value, the end of the stream or the deadline; a deadline closes the connection. */
  async #until<Value>(
    value: Promise<Value>,
    signal: AbortSignal,
    maybeSent: boolean,
  ): Promise<Value> {
    const onAbort = () => this.#stream.giveUp('the server did not answer in time');
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    try {
      return await Promise.race([value, this.#stream.ended]);
    } catch (error) {
      if (!(error instanceof XmppFault)) throw error;
      const { message, code, lasting } = error;
      throw new XmppFault(message, { ...(code !== undefined && { code }), lasting, maybeSent });
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #receive(stanza: Element): void {
    const { type = '', id = '', from = '' } = stanza.attrs;
    if (stanza.is('iq') && (type === 'get' || type === 'set')) this.#reply(stanza);
    else if (stanza.is('iq')) this.#queries.get(id)?.(stanza);
    else if (stanza.is('presence')) {
      const membership = this.#rooms.readPresence(stanza);
      if (membership) this.received.put({ inboundEvent: { ...membership, key: randomUUID() } });
      if (type === 'subscribe') this.received.offer(SUBSCRIPTION);
    } else if (stanza.is('message')) {
      const expected = this.#sent.get(id);
      // A message of another occupant is not our echo, even with the same id.
      const isOurs = type === 'error' || (type === 'groupchat' && this.#rooms.isSelf(from));
      const isAnswer = expected && isOurs && isAbout(from, expected.to);
      if (isAnswer) expected.settle(stanza);
      const receivedMessage = this.#reader.readStanza(stanza);
      if (receivedMessage.inboundEvent.what === 'ignored') this.received.offer(receivedMessage);
      else if (!(isAnswer && type === 'error')) this.received.put(receivedMessage);
    }
  }

  /** https://www.rfc-editor.org/rfc/rfc6120#section-8.4 */
  #reply(stanza: Element): void {
    const { id, from } = stanza.attrs;
    const to = { ...(id !== undefined && { id }), ...(from !== undefined && { to: from }) };
    if (stanza.getChild('ping', PING))
      return this.#stream.send(this.#xml('iq', { ...to, type: 'result' }));
    const reason = this.#xml('service-unavailable', { xmlns: STANZA_ERRORS });
    const error = this.#xml('error', { type: 'cancel' }, reason);
    this.#stream.send(this.#xml('iq', { ...to, type: 'error' }, error));
  }
}

/** A presence subscription request. */
const SUBSCRIPTION: XmppInbound = {
  inboundEvent: { what: 'ignored', type: 'presence.subscribe', reason: 'no_event' },
};

function sizeOf({ inboundEvent }: XmppInbound): number {
  return ENTRY_OVERHEAD + ('text' in inboundEvent ? (inboundEvent.text ?? '').length : 0);
}

/** Whether retrying cannot help; an unreachable server or a room that does not exist yet may recover. */
function isFinal(answer: Element): boolean {
  return answer.attrs['type'] === 'result' || FINAL.has(errorIn(answer).condition);
}

const FINAL = new Set([
  'service-unavailable',
  'feature-not-implemented',
  'forbidden',
  'not-allowed',
]);

const isConference = ({ attrs }: Element) => attrs['category'] === 'conference';

/** Whether it is from the recipient, the recipient's server, or our own server. */
function isAbout(from: string, to: string): boolean {
  return (
    from === '' || bareOf(from).toLowerCase() === bareOf(to).toLowerCase() || from === domainOf(to)
  );
}

/** Resolves after the time allowed for a response. */
const late = () => aborted(AbortSignal.timeout(BOUNCE_WAIT_MS));

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
