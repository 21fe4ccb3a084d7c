import type { Socket } from 'node:net';

import { type Element, type Parser, xml } from '@xmpp/client';

import { serveXmpp } from '../../src/sandbox/vendors/xmpp/server.ts';
import { openDuplex } from '../../src/sandbox/wire/duplex.ts';
import type { Peer } from '../channels/suite.ts';
import { MemorySession } from './server/memory-session.ts';
import { drip, flood, listenRaw } from './server/raw.ts';

/*
 * The simulator of XMPP on a port, with scripted answers for situations that a server does not produce on demand. It
 * knows `bot@example.org` with any password, and has rooms whose names begin with `room`.
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

/** A stanza error. */
export const stanzaError = (name: string, type: string, condition: string, text = '') =>
  `<${name} type='error' id='$id' from='$to' to='bot@example.org/1'><error type='${type}'><${condition} xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>${
    text === '' ? '' : `<text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>${text}</text>`
  }</error></${name}>`;

export async function openXmpp(): Promise<XmppPeer> {
  const answers: XmppAnswer[] = [];
  const seen: string[] = [];
  const server = await listenRaw((socket) => {
    const simulated = connect(socket);
    let parser: Parser | undefined;
    let hangs = false;
    let last = Promise.resolve();
    const next = (work: () => Promise<void>) => {
      last = last.then(work);
    };
    const receive = async (
      name: string,
      written: string,
      { attrs }: Pick<Element, 'attrs'>,
      inner = '',
    ) => {
      if (hangs || socket.destroyed) return;
      const index = answers.findIndex(({ to }) => to === name);
      const [answer] = index === -1 ? [] : answers.splice(index, 1);
      const fill = (text: string) =>
        text.replaceAll('$id', attrs['id'] ?? '').replaceAll('$to', attrs['to'] ?? '');
      if (!answer) await simulated.pass(written);
      else if ('says' in answer) {
        // The server must know about it, too.
        const says = typeof answer.says === 'string' ? answer.says : answer.says(inner);
        await simulated.pass(written, fill(says));
      } else if ('endsWith' in answer) socket.end(fill(answer.endsWith));
      else if ('does' in answer && answer.does === 'reset') socket.resetAndDestroy();
      else {
        hangs = true;
        if ('floods' in answer) (answer.drips ? drip : flood)(socket, answer.floods);
      }
    };
    socket.on('data', (bytes) => {
      const text = bytes.toString();
      // Each stream is a separate document.
      if (text.startsWith('<?xml')) {
        parser = new xml.Parser();
        parser.on('start', (root: Element) => next(() => receive('stream', text, root)));
        parser.on('element', (element: Element) => {
          seen.push(element.toString());
          const [name, written] = [nameOf(element), element.toString()];
          next(() => receive(name, written, element, element.text()));
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

/** The simulator behind a connection. `pass` hands it a stanza; `instead` replaces its answer. */
function connect(socket: Socket): {
  pass(stanza: string, instead?: string): Promise<void>;
} {
  const [client, server] = openDuplex();
  serveXmpp(server, new MemorySession(), {
    jid: 'bot@example.org',
    isRoom: (bare) => bare.startsWith('room'),
    isOld: true,
  });
  let isSilent = false;
  client.on('data', (bytes: Buffer) => {
    if (!isSilent && !socket.destroyed) socket.write(bytes);
  });
  client.once('end', () => socket.end());
  socket.once('close', () => client.destroy());
  return {
    async pass(stanza, instead) {
      isSilent = instead !== undefined;
      client.write(stanza);
      if (instead !== undefined) socket.write(instead);
      // The simulator answers within this process: a write takes one turn in each direction.
      for (let i = 0; i < 6; i++) await new Promise(setImmediate);
    },
  };
}

function nameOf(element: Element): string {
  const [first] = element.children;
  return element.is('iq') && first && typeof first !== 'string' ? first.name : element.name;
}
