import type { Socket } from 'node:net';

import { type Element, type Parser, xml } from '@xmpp/client';

import type { Peer } from '../channels/suite.ts';
import { drip, flood, listenRaw } from './server/raw.ts';

/*
 * An XMPP server with scripted answers, for situations that a real server does not produce on demand. By default it
 * knows `bot@example.org` and accepts any password, answers pings, and has rooms whose names begin with `room`.
 * https://www.rfc-editor.org/rfc/rfc6120
 */

/**
 * Answers the next element of that name, once: `stream`, `auth`, `response`, `message`, `presence`, or the payload
 * of an iq: `bind`, `ping`, `query`. `$id` and `$to` are those of the answered stanza; a function gets its text.
 */
export type XmppAnswer = { to: string } & (
  | { says: string | ((text: string) => string) }
  /** `hang` answers nothing from now on; `reset` ends the connection; `endsWith` sends a text and then ends it. */
  | { does: 'hang' | 'reset' }
  | { endsWith: string }
  /** Sends nothing else but repeats this until the connection ends. */
  | { floods: string; drips?: true }
);

export interface XmppPeer extends Peer<string, XmppAnswer>, AsyncDisposable {
  /** All connections so far. */
  readonly sockets: readonly Socket[];
}

export const HEADER =
  "<?xml version='1.0'?><stream:stream from='example.org' id='1' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";
export const features = (inner: string) => `<stream:features>${inner}</stream:features>`;
export const mechanisms = (...names: string[]) =>
  `<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>${names.map((name) => `<mechanism>${name}</mechanism>`).join('')}</mechanisms>`;
const BIND = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>";

/** A stanza error. */
export const stanzaError = (name: string, type: string, condition: string, text = '') =>
  `<${name} type='error' id='$id' from='$to' to='bot@example.org/1'><error type='${type}'><${condition} xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>${
    text === '' ? '' : `<text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>${text}</text>`
  }</error></${name}>`;

export async function openXmpp(): Promise<XmppPeer> {
  const answers: XmppAnswer[] = [];
  const seen: string[] = [];
  const server = await listenRaw((socket) => {
    let parser: Parser | undefined;
    let isKnown = false;
    let hangs = false;
    const receive = (name: string, { attrs }: Pick<Element, 'attrs'>, inner = '') => {
      if (hangs || socket.destroyed) return;
      const index = answers.findIndex(({ to }) => to === name);
      const [answer] = index === -1 ? [] : answers.splice(index, 1);
      const write = (text: string, end = false) => {
        const filled = text
          .replaceAll('$id', attrs['id'] ?? '')
          .replaceAll('$to', attrs['to'] ?? '');
        if (end) socket.end(filled);
        else socket.write(filled);
      };
      if (!answer) write(usual(name, attrs, isKnown));
      else if ('says' in answer) {
        write(typeof answer.says === 'string' ? answer.says : answer.says(inner));
      } else if ('endsWith' in answer) write(answer.endsWith, true);
      else if ('does' in answer && answer.does === 'reset') socket.resetAndDestroy();
      else {
        hangs = true;
        if ('floods' in answer) (answer.drips ? drip : flood)(socket, answer.floods);
      }
      if (name === 'auth') isKnown = true;
    };
    socket.on('data', (bytes) => {
      const text = bytes.toString();
      // Each stream is a separate document.
      if (text.startsWith('<?xml')) {
        parser = new xml.Parser();
        parser.on('start', (root: Element) => receive('stream', root));
        parser.on('element', (element: Element) => {
          seen.push(element.toString());
          receive(nameOf(element), element, element.text());
        });
        parser.on('error', () => socket.destroy());
      }
      parser?.write(text);
    });
  });
  return {
    url: `127.0.0.1:${server.port}`,
    seen,
    sockets: server.sockets,
    next: (answer) => void answers.push(answer),
    close: async () => server[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  };
}

function nameOf(element: Element): string {
  const [first] = element.children;
  return element.is('iq') && first && typeof first !== 'string' ? first.name : element.name;
}

function usual(name: string, { to = '', type }: Element['attrs'], isKnown: boolean): string {
  const result = (inner: string) => `<iq type='result' id='$id' from='$to'>${inner}</iq>`;
  const isRoom = to.startsWith('room');
  switch (name) {
    case 'stream':
      return HEADER + features(isKnown ? BIND : mechanisms('PLAIN'));
    case 'auth':
      return "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>";
    case 'bind':
      return result(BIND.replace('/>', '><jid>bot@example.org/1</jid></bind>'));
    case 'ping':
      return result('');
    case 'query':
      return isRoom
        ? result(
            "<query xmlns='http://jabber.org/protocol/disco#info'><identity category='conference' type='text'/></query>",
          )
        : stanzaError('iq', 'cancel', 'service-unavailable');
    case 'presence':
      return "<presence from='$to'><x xmlns='http://jabber.org/protocol/muc#user'><status code='110'/></x></presence>";
    case 'message':
      return type === 'groupchat'
        ? "<message type='groupchat' id='$id' from='$to/bot'><body/></message>"
        : '';
    default:
      return '';
  }
}
