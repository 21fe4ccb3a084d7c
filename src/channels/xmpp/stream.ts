import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { type ConnectionOptions, connect as secure } from 'node:tls';

import type { Element, Parser, Xml } from '@xmpp/client';

import { certificateFault } from '../../lib/net/certificate.ts';
import { XmppScanner } from './scanner.ts';

/*
 * An XML stream over our own socket. https://www.rfc-editor.org/rfc/rfc6120#section-4
 * The parser is that of @xmpp/client. The library's connection is not used: it opens sockets itself, to any host that a
 * server redirects it to, and waits for servers without limit.
 */

/** The server refused us or closed the stream, or we closed it. */
export class XmppFault extends Error {
  override name = 'XmppFault';
  /** The error condition; undefined without one. */
  readonly code: string | undefined;
  /** Whether something was written without a response. */
  readonly maybeSent: boolean;
  /** Whether retrying cannot help. */
  readonly lasting: boolean;

  constructor(message: string, more: { code?: string; maybeSent?: boolean; lasting?: boolean }) {
    super(message);
    this.code = more.code;
    this.maybeSent = more.maybeSent ?? false;
    this.lasting = more.lasting ?? false;
  }
}

const NO_XML = 'the server sent invalid XML';
const STREAMS = 'http://etherx.jabber.org/streams';
const STREAM_ERRORS = 'urn:ietf:params:xml:ns:xmpp-streams';

/** Servers accept some 256 KiB from a client, and forward it to others. */
const MAX_STANZA_BYTES = 300 * 1024;
/** Maximum number of chunks per stanza: each costs as much as all before it. */
const MAX_CHUNKS_PER_STANZA = 5000;
/** In bytes. Far more than the traffic of a busy room. */
const MAX_BYTES_PER_MINUTE = 2 * 1024 * 1024;
/** Maximum number of unread elements during negotiation. */
const MAX_UNREAD_ELEMENTS = 20;
/** In bytes that the server has not read yet; we send little. */
const MAX_UNREAD_BYTES = 512 * 1024;
/** Milliseconds to wait for the server to read our stream end. */
const CLOSE_TIMEOUT_MS = 5000;

export class XmppStream {
  readonly #xml: Xml;
  readonly #domain: string;
  readonly #ended = Promise.withResolvers<never>();
  readonly #waiting: Element[] = [];
  #socket: Socket;
  #parser: Parser | undefined;
  #onElement: ((element: Element) => void) | undefined;
  #decoder = new StringDecoder('utf8');
  #scanner = new XmppScanner();
  /** The number of chunks of the incomplete stanza so far. */
  #chunks = 0;
  /** Elements found by the parser, one per complete stanza. */
  #elementCount = 0;
  #minute = { began: performance.now(), size: 0 };
  #fault: XmppFault | undefined;
  #isSecure = false;

  constructor(xml: Xml, socket: Socket, domain: string) {
    this.#xml = xml;
    this.#domain = domain;
    this.#socket = socket;
    // Prevents an unhandled rejection when nobody waits.
    this.#ended.promise.catch(() => {});
    this.#listen();
  }

  get isOpen(): boolean {
    return this.#fault === undefined;
  }

  get isSecure(): boolean {
    return this.#isSecure;
  }

  /** Rejects with an XmppFault when the stream ends. */
  get ended(): Promise<never> {
    return this.#ended.promise;
  }

  /** Starts or restarts the stream and returns the server's features. */
  async begin(): Promise<Element> {
    const parser = new this.#xml.Parser();
    parser.on('start', () => void this.#elementCount++);
    parser.on('element', (element: Element) => {
      this.#elementCount++;
      this.#receive(element);
    });
    parser.on('error', () => this.giveUp(NO_XML));
    parser.on('end', () => this.giveUp('the server closed the stream'));
    this.#parser = parser;
    this.#scanner = new XmppScanner();
    this.#write(
      `<?xml version='1.0'?>${this.#xml('stream:stream', {
        to: this.#domain,
        version: '1.0',
        xmlns: 'jabber:client',
        'xmlns:stream': STREAMS,
      })
        .toString()
        .replace(/\/>$/, '>')}`,
    );
    const features = await this.next();
    if (features.is('features', STREAMS)) return features;
    throw new XmppFault('the server sent no stream features', {});
  }

  /** Switches to TLS. Discards earlier input, which an attacker may have injected. */
  async encrypt(options: ConnectionOptions): Promise<void> {
    if (this.#waiting.length > 0)
      throw new XmppFault('the server sent data before the TLS handshake', {});
    this.#socket.removeAllListeners('data');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const encrypted = secure({ ...options, socket: this.#socket }, resolve);
    encrypted.once('error', (error: Error & { code?: string }) => {
      const code = error.code === undefined ? '' : ` (${error.code})`;
      const untrusted = certificateFault(error);
      const message = untrusted ?? `TLS connection failed${code}`;
      reject(new XmppFault(message, { lasting: untrusted !== undefined }));
    });
    await Promise.race([promise, this.ended]);
    this.#socket = encrypted;
    this.#isSecure = true;
    this.#listen();
  }

  /** The next element during negotiation. */
  async next(): Promise<Element> {
    const waiting = this.#waiting.shift();
    if (waiting) return waiting;
    const { promise, resolve } = Promise.withResolvers<Element>();
    this.#onElement = (element) => {
      this.#onElement = undefined;
      resolve(element);
    };
    return Promise.race([promise, this.ended]);
  }

  /** Passes all further elements to `onElement`. */
  listen(onElement: (element: Element) => void): void {
    this.#onElement = onElement;
    for (const element of this.#waiting.splice(0)) onElement(element);
  }

  send(element: Element): void {
    this.#write(element.toString());
  }

  close(): void {
    if (!this.isOpen) return;
    this.#socket.write('</stream:stream>');
    this.#end(new XmppFault('the connection was closed', {}), true);
  }

  giveUp(why: string, more: { code?: string; lasting?: boolean } = {}): void {
    this.#end(new XmppFault(why, more), false);
  }

  #end(fault: XmppFault, politely: boolean): void {
    if (this.#fault) return;
    this.#fault = fault;
    const socket = this.#socket;
    if (politely) {
      socket.destroySoon();
      setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref();
    } else socket.destroy();
    this.#parser = undefined;
    this.#scanner = new XmppScanner();
    this.#ended.reject(fault);
  }

  #listen(): void {
    this.#decoder = new StringDecoder('utf8');
    this.#socket.on('data', (bytes: Buffer) => this.#read(bytes));
    this.#socket.on('error', () => {});
    this.#socket.once('close', () => this.giveUp('the server closed the connection'));
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    this.#socket.write(text);
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) {
      this.giveUp('the server does not read from the connection');
    }
  }

  #read(bytes: Buffer): void {
    if (!this.isOpen) return;
    const now = performance.now();
    if (now - this.#minute.began > 60_000) this.#minute = { began: now, size: 0 };
    this.#minute.size += bytes.length;
    if (this.#minute.size > MAX_BYTES_PER_MINUTE)
      return this.giveUp('the server sent too much data');
    const stanzas = this.#scanner.push(this.#decoder.write(bytes));
    if (!stanzas) return this.giveUp(NO_XML);
    this.#chunks = stanzas.length > 0 ? 0 : this.#chunks + 1;
    if (this.#chunks > MAX_CHUNKS_PER_STANZA)
      return this.giveUp('the server sent too many small chunks');
    for (const each of stanzas) this.#parse(each);
    if (this.#scanner.pending > MAX_STANZA_BYTES) {
      this.giveUp('the server sent an unterminated stanza');
    }
  }

  #parse(text: string): void {
    if (!this.isOpen || !this.#parser) return;
    const parser = this.#parser;
    const before = this.#elementCount;
    try {
      // Nothing may precede the root, not even white space.
      parser.write(parser.root ? text : text.trimStart());
    } catch {
      return this.giveUp(NO_XML);
    }
    // The parser took the text for part of an incomplete element.
    if (this.isOpen && this.#elementCount !== before + 1) return this.giveUp(NO_XML);
    // The parser would keep all text between stanzas.
    if (parser.root) parser.root.children = [];
  }

  #receive(element: Element): void {
    if (!this.isOpen) return;
    if (element.is('error', STREAMS)) return this.#failWith(element);
    if (this.#onElement) this.#onElement(element);
    else if (this.#waiting.push(element) > MAX_UNREAD_ELEMENTS) {
      this.giveUp('the server sent too much data during negotiation');
    }
  }

  /** https://www.rfc-editor.org/rfc/rfc6120#section-4.9.3 */
  #failWith(element: Element): void {
    const children = element.children.filter((child) => typeof child !== 'string');
    const code = children.find((child) => child.getNS() === STREAM_ERRORS && !child.is('text'));
    const text = element.getChild('text', STREAM_ERRORS)?.text() ?? '';
    const name = code?.getName().slice(0, 100) ?? 'undefined-condition';
    this.giveUp(text === '' ? `the server ended the stream: ${name}` : text.slice(0, 1000), {
      code: name,
      // A redirect leads to a host that the tenant did not configure.
      lasting: ['host-unknown', 'host-gone', 'see-other-host'].includes(name),
    });
  }
}
