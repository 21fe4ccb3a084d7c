import type { Socket } from 'node:net';

import { serveImap } from '../../../src/sandbox/vendors/email/imap.ts';
import { openDuplex } from '../../../src/sandbox/wire/duplex.ts';
import { MemorySession } from '../server/memory-session.ts';
import { listenRaw } from '../server/raw.ts';

/*
 * The simulator of a mailbox on a port, with scripted answers for situations that a server does not produce on demand.
 * It has an empty mailbox and accepts any login.
 */

/** Answers the next command of that name, once; `$tag` stands for its tag. */
export interface ImapAnswer {
  to: string;
  says: string;
}

export interface ImapPeer extends AsyncDisposable {
  readonly address: string;
  /** Received lines without their tags. */
  readonly seen: readonly string[];
  readonly sockets: readonly Socket[];
  next(answer: ImapAnswer): void;
}

export async function openImap(capabilities: string, greeting = '* OK hello'): Promise<ImapPeer> {
  const answers: ImapAnswer[] = [];
  const seen: string[] = [];
  const server = await listenRaw((socket) => {
    const simulated = connect(socket, capabilities, greeting);
    let text = '';
    /** The tag of a command that another line follows: AUTHENTICATE or IDLE. */
    let open = '';
    const receive = (line: string) => {
      const [first = '', command = '', second = ''] = line.split(' ');
      const isMore = open !== '';
      const tag = isMore ? open : first;
      seen.push(isMore ? line : line.slice(tag.length + 1));
      const name = isMore ? 'more' : command === 'UID' ? `UID ${second}` : command;
      const index = answers.findIndex(({ to }) => to === name);
      const [answer] = index === -1 ? [] : answers.splice(index, 1);
      if (answer) {
        open = answer.says.startsWith('+') ? tag : '';
        socket.write(answer.says.replaceAll('$tag', tag));
      } else {
        open = name === 'AUTHENTICATE' || name === 'IDLE' ? tag : '';
        simulated.write(`${line}\r\n`);
      }
    };
    socket.on('data', (bytes) => {
      const lines = (text + bytes.toString()).split('\r\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (!socket.destroyed) receive(line);
    });
  });
  return {
    address: `127.0.0.1:${server.port}`,
    seen,
    sockets: server.sockets,
    next: (answer) => void answers.push(answer),
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  };
}

/** The simulator behind a connection. */
function connect(socket: Socket, capabilities: string, greeting: string): Socket {
  const [client, server] = openDuplex();
  serveImap(server, new MemorySession(), { capabilities, greeting, validity: 7, first: 5 });
  client.on('data', (bytes: Buffer) => void socket.write(bytes));
  client.once('end', () => socket.end());
  socket.once('close', () => client.destroy());
  return client;
}
