import type { Socket } from 'node:net';

import { listenRaw } from '../server/raw.ts';

/*
 * An IMAP server with scripted answers, for situations that a real server does not produce on demand. By default it
 * has an empty mailbox and accepts any login. It knows the commands that we use, in the form in which we write
 * them. https://www.rfc-editor.org/rfc/rfc9051
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
    let text = '';
    /** A continuation line of AUTHENTICATE or IDLE. */
    let open = '';
    socket.write(`${greeting}\r\n`);
    const receive = (line: string) => {
      const [first = '', command = '', second = ''] = line.split(' ');
      const isMore = open !== '';
      const tag = isMore ? open : first;
      seen.push(isMore ? line : line.slice(tag.length + 1));
      const name = isMore ? 'more' : command === 'UID' ? `UID ${second}` : command;
      const index = answers.findIndex(({ to }) => to === name);
      const [answer] = index === -1 ? [] : answers.splice(index, 1);
      const says = answer?.says ?? usual(name, capabilities);
      open = says.startsWith('+') ? tag : '';
      socket.write(says.replaceAll('$tag', tag));
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

function usual(name: string, capabilities: string): string {
  const done = '$tag OK done\r\n';
  if (name === 'CAPABILITY') return `* CAPABILITY ${capabilities}\r\n${done}`;
  if (name === 'AUTHENTICATE' || name === 'IDLE') return '+ \r\n';
  if (name === 'EXAMINE') {
    return `* 0 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n* OK [UIDNEXT 5] next\r\n${done}`;
  }
  if (name === 'UID SEARCH') return `* SEARCH\r\n${done}`;
  if (name === 'LOGOUT') return `* BYE bye\r\n${done}`;
  return ['more', 'LOGIN', 'NOOP', 'UID FETCH'].includes(name) ? done : '$tag BAD what?\r\n';
}
