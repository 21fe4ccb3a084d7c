import type { Socket } from 'node:net';

import {
  type Delivery,
  PduSplitter,
  RESPONSE,
  type Submitted,
  bodyOf,
  cText,
  deliverBody,
  headerOf,
  pduOf,
  readSubmit,
} from '../../../src/sandbox/vendors/smpp/pdus.ts';
import { serveSmpp } from '../../../src/sandbox/vendors/smpp/server.ts';
import { openDuplex } from '../../../src/sandbox/wire/duplex.ts';
import type { Peer } from '../../channels/suite.ts';
import { MemorySession } from '../server/memory-session.ts';
import { listenRaw } from '../server/raw.ts';

/* The simulator of an SMS center on a port, with scripted answers. */

export type { Submitted };

export const SYSTEM_ID = 'switchboard';
export const PASSWORD = 'fake-password';

/** The answer to the next bind or message, once. */
export type SmppAnswer = { to: 'bind' | 'submit' } & (
  | { status: number }
  | { does: 'close' | 'hang' | 'garbage' }
  | { id: string }
);

export interface SmppPeer extends Peer<Submitted, SmppAnswer>, AsyncDisposable {
  readonly binds: number;
  /** Sends a `deliver_sm` over the last connection; resolves with the status of its response. */
  deliver(delivery: Delivery): Promise<number>;
  /** Sends `enquire_link`; resolves with the status of its response. */
  enquire(): Promise<number>;
  /** Ends the last connection. */
  disconnect(): void;
}

/** Above the sequence numbers of the simulator. */
const FIRST_SEQUENCE = 0x1000_0000;

export async function openSmpp(): Promise<SmppPeer> {
  const seen: Submitted[] = [];
  const answers: SmppAnswer[] = [];
  const waiting = new Map<number, (status: number) => void>();
  let [binds, ids, sequence] = [0, 0, FIRST_SEQUENCE];
  const session = new MemorySession();

  const answerTo = (what: SmppAnswer['to']) => {
    const index = answers.findIndex(({ to }) => to === what);
    return index === -1 ? undefined : answers.splice(index, 1)[0];
  };

  const server = await listenRaw((socket) => {
    const simulated = connect(socket, session, () => `00000A${++ids}`);
    const splitter = new PduSplitter();
    const receive = (pdu: Buffer) => {
      const { command, status, sequence: number } = headerOf(pdu);
      if (command >= RESPONSE) return waiting.get(number)?.(status);
      const kind = command === 0x09 ? 'bind' : command === 0x04 ? 'submit' : undefined;
      const answer = kind && answerTo(kind);
      if (answer && 'does' in answer) {
        if (answer.does === 'close') socket.destroy();
        if (answer.does === 'garbage') socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
        return undefined;
      }
      const reply = (code: number, id: string) =>
        socket.write(pduOf(command + RESPONSE, code, number, cText(id)));
      if (answer && 'status' in answer) return reply(answer.status, '');
      if (kind === 'bind') binds++;
      const message = kind === 'submit' ? readSubmit(bodyOf(pdu)) : 0;
      if (typeof message !== 'number') seen.push(message);
      return answer && 'id' in answer ? reply(0, answer.id) : simulated.write(pdu);
    };
    socket.on('data', (more: Buffer) => {
      for (const pdu of splitter.split(more) ?? []) receive(pdu);
    });
  });

  const ask = (command: number, body: Buffer) =>
    new Promise<number>((resolve) => {
      waiting.set(++sequence, resolve);
      last().write(pduOf(command, 0, sequence, body));
    });
  const last = (): Socket => {
    const socket = server.sockets.at(-1);
    if (!socket) throw new Error('nobody is connected');
    return socket;
  };
  return {
    url: `127.0.0.1:${server.port}`,
    seen,
    get binds() {
      return binds;
    },
    next: (answer) => void answers.push(answer),
    deliver: (delivery) => ask(0x05, deliverBody(delivery)),
    enquire: () => ask(0x15, Buffer.alloc(0)),
    disconnect: () => void last().destroy(),
    close: async () => server[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  };
}

/** The simulator behind a connection. */
function connect(socket: Socket, session: MemorySession, idOf: () => string): Socket {
  const [client, server] = openDuplex();
  serveSmpp(server, session, { systemId: SYSTEM_ID, password: PASSWORD, idOf });
  client.on('data', (bytes: Buffer) => void socket.write(bytes));
  client.once('end', () => socket.end());
  socket.once('close', () => client.destroy());
  return client;
}
