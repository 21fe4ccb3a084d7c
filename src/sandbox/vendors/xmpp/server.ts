import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

import { type Element, type Parser, xml } from '@xmpp/client';

import { bareOf, domainOf, localPart, resourceOf } from '../../../channels/xmpp/jid.ts';
import type { Session, SessionReport, SessionAnswer } from '../../session.ts';
import {
  contentOf,
  echoOf,
  errorOf,
  idInRoom,
  messageOf,
  presenceOf,
  receiptOf,
  refusalOf,
  senderIdOf,
} from './stanzas.ts';

/*
 * An XMPP server with one client per connection; all others are simulated. It knows what a bot needs: login, resource
 * binding, pings, service discovery, rooms, messages with corrections and retractions, receipts and markers.
 * https://www.rfc-editor.org/rfc/rfc6120, https://xmpp.org/extensions/xep-0045.html
 */

interface XmppServerOptions {
  /** The only account. */
  jid: string;
  /** Undefined accepts any. */
  password?: string;
  isRoom(bare: string): boolean;
  /** The nicks of the other occupants of every room. */
  occupants?: readonly string[];
  /** Whether rooms assign no ids to messages. */
  isOld?: boolean;
}

const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl';
const BIND = 'urn:ietf:params:xml:ns:xmpp-bind';
const DISCO = 'http://jabber.org/protocol/disco#info';
const MUC = 'http://jabber.org/protocol/muc';
const STREAM_ERRORS = 'urn:ietf:params:xml:ns:xmpp-streams';
const RETRACTION = 'urn:xmpp:message-retract:1';
/** A larger one ends the stream. */
const MAX_STANZA_BYTES = 512 * 1024;
const MAX_ROOMS = 100;

export function serveXmpp(socket: Socket, session: Session, options: XmppServerOptions): void {
  const connection = new XmppConnection(socket, session, options);
  const decoder = new StringDecoder('utf8');
  let parser: Parser | undefined;
  let pending = 0;
  let last = Promise.resolve();
  const next = (work: () => Promise<void> | void) => {
    pending = 0;
    last = last
      .then(async () => {
        if (!socket.destroyed) await work();
      })
      .catch(() => void socket.destroy());
  };
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    const text = decoder.write(bytes);
    pending += bytes.length;
    if (pending > MAX_STANZA_BYTES) return connection.fail('policy-violation');
    // Each stream is a separate document.
    if (/^\s*<\?xml/.test(text)) {
      parser = new xml.Parser();
      parser.on('start', () => next(() => connection.begin()));
      parser.on('element', (element: Element) => next(() => connection.receive(element)));
      parser.on('end', () => next(() => connection.end()));
      parser.on('error', () => next(() => connection.fail('not-well-formed')));
    }
    try {
      parser?.write(text.trimStart() === '' ? '' : text);
      // The parser would keep everything.
      if (parser?.root) parser.root.children = [];
    } catch {
      connection.fail('not-well-formed');
    }
  });
}

class XmppConnection {
  readonly #socket: Socket;
  readonly #session: Session;
  readonly #options: XmppServerOptions;
  /** Our nick in each joined room. */
  readonly #rooms = new Map<string, string>();
  #isAuthenticated = false;
  #jid = '';
  #isFollowing = false;

  constructor(socket: Socket, session: Session, options: XmppServerOptions) {
    this.#socket = socket;
    this.#session = session;
    this.#options = options;
  }

  begin(): void {
    const from = domainOf(this.#options.jid);
    const inner = this.#isAuthenticated
      ? xml('bind', { xmlns: BIND })
      : xml('mechanisms', { xmlns: SASL }, xml('mechanism', {}, 'PLAIN'));
    this.#write(
      `<?xml version='1.0'?><stream:stream from='${from}' id='1' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'><stream:features>${inner.toString()}</stream:features>`,
    );
  }

  end(): void {
    this.#write('</stream:stream>');
    this.#socket.destroySoon();
  }

  /** https://www.rfc-editor.org/rfc/rfc6120#section-4.9 */
  fail(condition: string): void {
    const error = xml('stream:error', {}, xml(condition, { xmlns: STREAM_ERRORS }));
    this.#write(`${error.toString()}</stream:stream>`);
    this.#socket.destroySoon();
  }

  async receive(stanza: Element): Promise<void> {
    if (stanza.is('auth', SASL)) return this.#authenticate(stanza);
    if (!this.#isAuthenticated) return this.fail('not-authorized');
    if (stanza.is('iq')) return this.#handleQuery(stanza);
    if (this.#jid === '') return this.fail('not-authorized');
    if (stanza.is('presence')) return this.#handlePresence(stanza);
    if (stanza.is('message')) return this.#handleMessage(stanza);
    return this.fail('unsupported-stanza-type');
  }

  async #authenticate(stanza: Element): Promise<void> {
    const [, user, password] = Buffer.from(stanza.text(), 'base64').toString().split('\0');
    const { jid, password: expected } = this.#options;
    const isRight = expected === undefined || (user === localPart(jid) && password === expected);
    if (stanza.attrs['mechanism'] !== 'PLAIN') {
      return this.#send(xml('failure', { xmlns: SASL }, xml('invalid-mechanism')));
    }
    if (!isRight || !(await this.#session.admits())) {
      return this.#send(xml('failure', { xmlns: SASL }, xml('not-authorized')));
    }
    this.#isAuthenticated = true;
    this.#send(xml('success', { xmlns: SASL }));
  }

  #handleQuery(stanza: Element): void {
    const { id, type, to } = stanza.attrs;
    if (type !== 'get' && type !== 'set') return;
    const result = (...children: Element[]) =>
      this.#send(
        xml('iq', { type: 'result', id, ...(to !== undefined && { from: to }) }, ...children),
      );
    if (stanza.getChild('bind', BIND)) {
      this.#jid = `${this.#options.jid}/1`;
      return result(xml('bind', { xmlns: BIND }, xml('jid', {}, this.#jid)));
    }
    if (this.#jid === '') return this.fail('not-authorized');
    if (stanza.getChild('ping', 'urn:xmpp:ping')) return result();
    const isRoom = this.#options.isRoom(bareOf(to ?? ''));
    if (stanza.getChild('query', DISCO) && isRoom) {
      const identity = xml('identity', { category: 'conference', type: 'text' });
      return result(xml('query', { xmlns: DISCO }, identity, xml('feature', { var: MUC })));
    }
    this.#send(errorOf(stanza, 'cancel', 'service-unavailable', this.#jid));
  }

  #handlePresence(stanza: Element): void {
    const { to, type } = stanza.attrs;
    if (to === undefined) {
      // From now on, we receive messages.
      if (type === undefined && !this.#isFollowing) {
        this.#isFollowing = true;
        this.#session.follow((report) => this.#report(report));
      }
      return;
    }
    const [room, nick] = [bareOf(to), resourceOf(to) ?? ''];
    if (!this.#options.isRoom(room)) return;
    if (type === 'unavailable') {
      this.#rooms.delete(room);
      return this.#send(presenceOf(room, nick, { isLeaving: true, isSelf: true }));
    }
    const { occupants = [] } = this.#options;
    const refuse = (condition: string) =>
      this.#send(errorOf(stanza, 'cancel', condition, this.#jid));
    if (occupants.includes(nick)) return refuse('conflict');
    if (this.#rooms.size >= MAX_ROOMS && !this.#rooms.has(room)) return refuse('not-allowed');
    this.#rooms.set(room, nick);
    for (const other of occupants) this.#send(presenceOf(room, other));
    this.#send(presenceOf(room, nick, { isSelf: true }));
  }

  async #handleMessage(stanza: Element): Promise<void> {
    const { to = '', type, id = '' } = stanza.attrs;
    const bare = bareOf(to);
    const isGroupChat = type === 'groupchat';
    const isReceipt =
      stanza.getChild('body') === undefined || type === 'error' || bare === this.#options.jid;
    if (isReceipt) return;
    if (isGroupChat && !this.#rooms.has(bare)) {
      return this.#send(errorOf(stanza, 'modify', 'not-acceptable', this.#jid));
    }
    const person = this.#options.isRoom(bare) && !isGroupChat ? to : bare;
    const vendorIdOf = isGroupChat ? idInRoom : (each: string) => each;
    const { refusal } = await this.#take(stanza, person, vendorIdOf);
    if (refusal === 'lost') return void this.#socket.destroy();
    if (refusal === 'credentials') {
      this.#session.refuseLogins();
      return this.fail('not-authorized');
    }
    if (refusal) return this.#send(errorOf(stanza, ...refusalOf(refusal), this.#jid));
    if (isGroupChat && id !== '') {
      const room = { bare, nick: this.#rooms.get(bare) ?? '' };
      this.#send(echoOf(stanza, room, this.#jid, !this.#options.isOld));
    }
  }

  /** Shows a message, or changes one that was shown before. */
  async #take(
    stanza: Element,
    person: string,
    vendorIdOf: (id: string) => string,
  ): Promise<SessionAnswer> {
    const { phone } = this.#session;
    const replaced = stanza.getChild('replace', 'urn:xmpp:message-correct:0')?.attrs['id'];
    const retracted = stanza.getChild('retract', RETRACTION)?.attrs['id'];
    const changed = retracted ?? replaced;
    const content = contentOf(stanza, vendorIdOf);
    if (changed === undefined) {
      const show = () => phone.show(person, content, () => vendorIdOf(stanza.attrs['id'] ?? ''));
      return this.#session.take(person, show);
    }
    const before = await phone.find(vendorIdOf(senderIdOf(changed)));
    // Clients ignore changes to messages that they do not have.
    if (before?.author === 'application') {
      if (retracted === undefined) await phone.edit(before, content);
      else await phone.remove(before);
    }
    return { seconds: 0 };
  }

  #report(report: SessionReport): void {
    const { kind, person, room } = report;
    if (room && !this.#rooms.has(room.address)) return;
    if (kind === 'receipt') return this.#send(receiptOf(report, this.#jid));
    if (kind === 'message') return this.#send(messageOf(report, this.#jid));
    if (room && (kind === 'join' || kind === 'leave')) {
      this.#send(presenceOf(room.address, person.name, { isLeaving: kind === 'leave' }));
    }
  }

  #send(element: Element): void {
    this.#write(element.toString());
  }

  #write(text: string): void {
    if (!this.#socket.destroyed) this.#socket.write(text);
  }
}
