import type { Socket } from 'node:net';

import type { Peer } from '../channels/suite.ts';
import { drip, flood, listenRaw } from './server/raw.ts';

/*
 * An IRC server with scripted answers, for situations that a real server does not produce on demand. By default it
 * welcomes anybody who registers as `switch`, lets them join channels, and answers PING.
 * https://modern.ircdocs.horse/
 */

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
    let text = '';
    let hangs = false;
    const receive = (line: string) => {
      seen.push(line);
      const [command = '', first = ''] = line.split(' ');
      const index = answers.findIndex(({ to }) => to === command);
      const [answer] = index === -1 ? [] : answers.splice(index, 1);
      if (!answer)
        socket.write(
          usual(command, first)
            .map((each) => `${each}\r\n`)
            .join(''),
        );
      else if ('says' in answer) socket.write(answer.says.map((each) => `${each}\r\n`).join(''));
      else if ('endsWith' in answer) socket.end(`${answer.endsWith}\r\n`);
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

function usual(command: string, first: string): string[] {
  if (command === 'USER') return [':irc.example 001 switch :Welcome'];
  if (command === 'JOIN') return [`:switch!s@host JOIN ${first}`];
  if (command === 'PING') return [`:irc.example PONG irc.example ${first}`];
  return [];
}
