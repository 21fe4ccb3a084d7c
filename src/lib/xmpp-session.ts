import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

import type { Element, Xml } from '@xmpp/client';

import { type XmppLogin, logIn } from './xmpp-login.ts';
import { XmppRooms } from './xmpp-rooms.ts';
import { XmppFault, XmppStream } from './xmpp-stream.ts';
import { xmlText } from './xmpp-text.ts';

/*
 * One connection to an XMPP server, from the login to the end.
 * A server does not say that a message arrived, only what is wrong with it, if it does. But it answers in
 * order: so each message is followed by a ping (https://xmpp.org/extensions/xep-0199.html) of our own server,
 * and one of the recipient's, which takes the same way as the message. The errors that have come until then are
 * the answer.
 */

/** A message, without the address. */
export interface XmppMessage {
  id: string;
  body: string;
  subject?: string;
  thread?: string;
  /** The message that this one answers, and the one that it takes the place of. */
  reply?: string;
  replaces?: string;
  /** The address of the file that it is about. */
  file?: string;
  /** Whether signs in the body mean nothing. */
  unstyled?: boolean;
}

/** What a server has against a stanza. https://www.rfc-editor.org/rfc/rfc6120#section-8.3 */
export interface StanzaError {
  type: string;
  condition: string;
  text: string;
}

const PING = 'urn:xmpp:ping';
const STANZA_ERRORS = 'urn:ietf:params:xml:ns:xmpp-stanzas';

/** How long the recipient's server may take to answer, once our own has taken the message; in milliseconds. */
const PATIENCE = 5000;
/** How often we ask whether the server is still there. */
const INTERVAL = 60_000;

interface Expected {
  to: string;
  settle(answer: Element | undefined): void;
}

export class XmppSession {
  readonly #xml: Xml;
  readonly #stream: XmppStream;
  readonly #rooms: XmppRooms;
  readonly #jid: string;
  /** What was asked or sent, by its id, and is not answered yet. */
  readonly #asked = new Map<string, (answer: Element) => void>();
  readonly #sent = new Map<string, Expected>();
  readonly #timer: NodeJS.Timeout;

  private constructor(xml: Xml, stream: XmppStream, jid: string) {
    this.#xml = xml;
    this.#stream = stream;
    this.#jid = jid;
    this.#rooms = new XmppRooms(xml, stream, localPart(jid));
    let alive = true;
    this.#timer = setInterval(() => {
      if (!alive) stream.giveUp('the server does not answer any more');
      alive = false;
      void this.#ping(domainOf(jid)).then(() => (alive = true));
    }, INTERVAL).unref();
    stream.listen((element) => this.#receive(element));
    stream.ended.catch(() => clearInterval(this.#timer));
  }

  /** Logs in over a socket. Rejects with an XmppFault, and closes the socket then. */
  static async open(socket: Socket, login: XmppLogin, signal: AbortSignal): Promise<XmppSession> {
    // Only now: it takes time and memory that a start should not.
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
    return this.#sent.size === 0;
  }

  /** Says goodbye. */
  quit(): void {
    this.#stream.close();
  }

  /**
   * Sends a message, into a room that it has joined first if the address is one. Answers what was wrong with
   * it, if anything: then it was not sent. Rejects with an XmppFault when the stream ends first.
   */
  async send(
    to: string,
    message: XmppMessage,
    signal: AbortSignal,
  ): Promise<StanzaError | undefined> {
    const room = (await this.#isRoom(to, signal)) ? bareOf(to) : undefined;
    if (room !== undefined) {
      const refusal = await this.#until(this.#rooms.join(room), signal, false);
      if (refusal) return errorIn(refusal);
    }
    const isTalk = room !== undefined && !to.includes('/');
    const answer = await this.#deliver(this.#write(to, message, isTalk), to, message.id, signal);
    if (answer?.attrs['type'] !== 'error') return undefined;
    // Thrown out while it spoke; the next try joins again.
    const error = errorIn(answer);
    if (room === undefined || error.condition !== 'not-acceptable') return error;
    this.#rooms.forget(room);
    return { ...error, type: 'wait' };
  }

  #write(to: string, message: XmppMessage, isTalk: boolean): Element {
    const { id, body, subject, thread, reply, replaces, file, unstyled } = message;
    const xml = (name: string, xmlns?: string, ...children: (Element | string)[]) =>
      this.#xml(name, xmlns === undefined ? {} : { xmlns }, ...children);
    const about = (name: string, xmlns: string, other: string) =>
      this.#xml(name, { xmlns, id: other });
    return this.#xml(
      'message',
      { to, type: isTalk ? 'groupchat' : 'chat', id },
      subject === undefined ? undefined : xml('subject', undefined, xmlText(subject)),
      xml('body', undefined, body),
      thread === undefined ? undefined : xml('thread', undefined, xmlText(thread)),
      // https://xmpp.org/extensions/xep-0184.html: not in rooms.
      isTalk ? undefined : xml('request', 'urn:xmpp:receipts'),
      // https://xmpp.org/extensions/xep-0461.html
      reply === undefined ? undefined : about('reply', 'urn:xmpp:reply:0', xmlText(reply)),
      // https://xmpp.org/extensions/xep-0308.html
      replaces === undefined ? undefined : about('replace', 'urn:xmpp:message-correct:0', replaces),
      // https://xmpp.org/extensions/xep-0066.html
      file === undefined ? undefined : xml('x', 'jabber:x:oob', xml('url', undefined, file)),
      // https://xmpp.org/extensions/xep-0393.html#disable
      unstyled ? xml('unstyled', 'urn:xmpp:styling:0') : undefined,
    );
  }

  /** The error or the echo that came back, if one did. */
  async #deliver(
    stanza: Element,
    to: string,
    id: string,
    signal: AbortSignal,
  ): Promise<Element | undefined> {
    if (!this.open) throw new XmppFault('the connection has ended', {});
    const { promise: answered, resolve: settle } = Promise.withResolvers<Element | undefined>();
    this.#sent.set(id, { to, settle });
    this.#stream.send(stanza);
    const near = this.#ping(domainOf(this.#jid));
    const far = domainOf(to) === domainOf(this.#jid) ? near : this.#ping(domainOf(to));
    try {
      await this.#until(Promise.race([answered, near]), signal, true);
      // Our server has it. What is wrong with the recipient may take longer to find out.
      const late = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
      await Promise.race([answered, far, aborted(late), this.#stream.ended]).catch(() => {});
      settle(undefined);
      return await answered;
    } finally {
      this.#sent.delete(id);
    }
  }

  /** Rooms say that they are some. https://xmpp.org/extensions/xep-0045.html#disco-roominfo */
  async #isRoom(to: string, signal: AbortSignal): Promise<boolean> {
    const bare = bareOf(to);
    if (!bare.includes('@')) return false;
    const known = this.#rooms.isRoom(bare);
    if (known !== undefined) return known;
    const query = this.#xml('query', { xmlns: 'http://jabber.org/protocol/disco#info' });
    const late = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
    const answer = await this.#until(
      Promise.race([this.#ask(bare, query), aborted(late)]),
      signal,
      false,
    );
    const isRoom = answer?.getChild('query')?.getChildren('identity').some(isConference) ?? false;
    if (answer && isFinal(answer)) this.#rooms.note(bare, isRoom);
    return isRoom;
  }

  #ping(to: string): Promise<Element> {
    return this.#ask(to, this.#xml('ping', { xmlns: PING }));
  }

  #ask(to: string, what: Element): Promise<Element> {
    const { promise, resolve } = Promise.withResolvers<Element>();
    // Not to be guessed by others, who could answer in place of whoever was asked.
    const id = randomUUID();
    const timer = setTimeout(() => this.#asked.delete(id), INTERVAL).unref();
    this.#asked.set(id, (answer) => {
      clearTimeout(timer);
      this.#asked.delete(id);
      resolve(answer);
    });
    this.#stream.send(this.#xml('iq', { type: 'get', to, id }, what));
    return promise;
  }

  /** Until it is there, the stream has ended, or time is up; the server is then not waited for any longer. */
  async #until<Value>(
    value: Promise<Value>,
    signal: AbortSignal,
    perhapsSent: boolean,
  ): Promise<Value> {
    const onAbort = () => this.#stream.giveUp('the server did not answer in time');
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    try {
      return await Promise.race([value, this.#stream.ended]);
    } catch (error) {
      if (!(error instanceof XmppFault)) throw error;
      const { message, code, lasting } = error;
      throw new XmppFault(message, { ...(code !== undefined && { code }), lasting, perhapsSent });
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #receive(stanza: Element): void {
    const { type = '', id = '', from = '' } = stanza.attrs;
    if (stanza.is('iq') && (type === 'get' || type === 'set')) this.#reply(stanza);
    else if (stanza.is('iq')) this.#asked.get(id)?.(stanza);
    else if (stanza.is('presence')) this.#rooms.see(stanza);
    else if (stanza.is('message') && (type === 'error' || type === 'groupchat')) {
      const expected = this.#sent.get(id);
      if (expected && isAbout(from, expected.to)) expected.settle(stanza);
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

/** Whether it would be the same another time: a server out of reach, or a room that is not there yet, would not. */
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

const bareOf = (jid: string) => jid.split('/', 1)[0] ?? '';
const domainOf = (jid: string) => bareOf(jid).slice(bareOf(jid).indexOf('@') + 1);
const localPart = (jid: string) => jid.slice(0, Math.max(jid.indexOf('@'), 0));

/** Whether it comes from the recipient, from whoever speaks for the recipient, or from our own server. */
function isAbout(from: string, to: string): boolean {
  return (
    from === '' || bareOf(from).toLowerCase() === bareOf(to).toLowerCase() || from === domainOf(to)
  );
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function errorIn(stanza: Element): StanzaError {
  const error = stanza.getChild('error');
  const children = error?.children.filter((child) => typeof child !== 'string') ?? [];
  const condition = children.find((child) => child.getNS() === STANZA_ERRORS && !child.is('text'));
  return {
    type: error?.attrs['type'] ?? '',
    condition: condition?.getName().slice(0, 100) ?? 'undefined-condition',
    text: error?.getChild('text', STANZA_ERRORS)?.text().slice(0, 1000) ?? '',
  };
}
