import type { Socket } from 'node:net';

import { serveIrc } from '../../src/sandbox/vendors/irc/server.ts';
import { openDuplex } from '../../src/sandbox/wire/duplex.ts';
import { onLines } from '../../src/sandbox/wire/lines.ts';
import type { Peer } from '../channels/suite.ts';
import { MemorySession } from './server/memory-session.ts';
import { drip, flood, listenRaw } from './server/raw.ts';

/* The simulator of IRC on a port, with scripted answers for situations that a server does not produce on demand. */

/** Answers the next command of that name, once. */
export type IrcAnswer = { to: string } & (
  | { says: readonly string[] }
  /** `hang` answers nothing from now on; `reset` ends the connection; `endsWith` sends a text and then ends it. */
  | { does: 'hang' | 'reset' }
  | { endsWith: string }
  /** Sends nothing else but repeats this until the connection ends, as fast as possible or byte by byte. */
  | { floods: string }
  | { drips: string }
);

export interface IrcPeer extends Peer<string, IrcAnswer>, AsyncDisposable {
  /** All connections so far. */
  readonly sockets: readonly Socket[];
}

export async function openIrc(): Promise<IrcPeer> {
  const answers: IrcAnswer[] = [];
  const seen: string[] = [];
  const server = await listenRaw((socket) => {
    const simulated = connect(socket);
    let text = '';
    let hangs = false;
    const receive = (line: string) => {
      seen.push(line);
      const [command = ''] = line.split(' ');
      const index = answers.findIndex(({ to }) => to === command);
      const [answer] = index === -1 ? [] : answers.splice(index, 1);
      if (!answer) simulated.pass(line);
      else if ('says' in answer) {
        // The server must know about it, too.
        simulated.pass(line, answer.says);
      } else if ('endsWith' in answer) socket.end(`${answer.endsWith}\r\n`);
      else if ('does' in answer && answer.does === 'reset') socket.resetAndDestroy();
      else {
        hangs = true;
        if ('floods' in answer) flood(socket, answer.floods);
        if ('drips' in answer) drip(socket, answer.drips);
      }
    };
    socket.on('data', (bytes) => {
      const lines = (text + bytes.toString()).split('\r\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (!hangs && !socket.destroyed) receive(line);
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

/** The simulator behind a connection. `pass` hands it a line; `instead` replaces its answer. */
function connect(socket: Socket): { pass(line: string, instead?: readonly string[]): void } {
  const [client, server] = openDuplex();
  serveIrc(server, new MemorySession(), { isOld: true });
  const expected: { mark: string; instead: readonly string[] | undefined }[] = [];
  let marks = 0;
  onLines(client, 10_000, async (line) => {
    const [first] = expected;
    const isMark = first !== undefined && line.endsWith(` :${first.mark}`);
    if (isMark) expected.shift();
    else if (!first?.instead && !socket.destroyed) socket.write(`${line}\r\n`);
  });
  client.once('close', () => socket.end());
  socket.once('close', () => client.destroy());
  return {
    pass(line, instead) {
      const mark = `emulator-${++marks}`;
      expected.push({ mark, instead });
      client.write(`${line}\r\nPING :${mark}\r\n`);
      if (instead) socket.write(instead.map((each) => `${each}\r\n`).join(''));
    },
  };
}
