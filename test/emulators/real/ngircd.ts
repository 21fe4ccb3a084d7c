import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { join } from 'node:path';

import { requirement } from '../../support/requirement.ts';
import { type ChildServer, startChild } from './child-server.ts';

/* A real IRC server, as a child process. https://ngircd.barton.de/ */

export const NGIRCD = requirement('ngircd', 'apt-get install ngircd');

export type IrcServer = ChildServer<Visitor>;

export interface NgircdOptions {
  /** Whether it throttles clients that send much, which is its default. */
  slowsDown?: boolean;
  password?: string;
  /** The lines of one `[Channel]` section each. */
  channels?: readonly string[];
}

export function startNgircd(options: NgircdOptions = {}): Promise<IrcServer> {
  return startChild({
    name: 'ngircd',
    path: NGIRCD.path,
    visit: (port, nick) => Visitor.connect(port, nick, options.password),
    async prepare(folder, port) {
      const file = join(folder, 'ngircd.conf');
      await writeFile(file, configuration(port, options));
      return ['-n', '-f', file];
    },
  });
}

function configuration(port: number, options: NgircdOptions): string {
  const { password, channels = [], slowsDown = false } = options;
  return [
    '[Global]',
    'Name = irc.test.example',
    'Info = test',
    'AdminEMail = nobody@test.example',
    'Listen = 127.0.0.1',
    `Ports = ${port}`,
    'MotdPhrase = Hello',
    ...(password === undefined ? [] : [`Password = ${password}`]),
    '[Limits]',
    'MaxConnectionsIP = 0',
    'MaxNickLength = 20',
    ...(slowsDown ? [] : ['MaxPenaltyTime = 0']),
    '[Options]',
    'DNS = no',
    'Ident = no',
    'PAM = no',
    ...channels.flatMap((channel) => ['[Channel]', channel]),
    '',
  ].join('\n');
}

/** Another user of the server, who writes the protocol directly and reads every byte. */
export class Visitor {
  readonly lines: string[] = [];
  readonly #socket: Socket;
  readonly #waiting = new Set<() => void>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    let text = '';
    socket.setEncoding('utf8');
    socket.on('error', () => {});
    socket.on('data', (more: string) => {
      const parts = (text + more).split('\r\n');
      text = parts.pop() ?? '';
      for (const line of parts) {
        if (line.startsWith('PING')) this.say(line.replace('PING', 'PONG'));
        this.lines.push(line);
      }
      for (const look of this.#waiting) look();
    });
  }

  static async connect(port: number, nick: string, password?: string): Promise<Visitor> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const visitor = new Visitor(socket);
    if (password !== undefined) visitor.say(`PASS ${password}`);
    visitor.say(`NICK ${nick}`, `USER ${nick} 0 * :${nick}`);
    await visitor.waitFor(/ 001 /);
    return visitor;
  }

  say(...lines: string[]): void {
    for (const line of lines) this.#socket.write(`${line}\r\n`);
  }

  /** Joins a channel. */
  async join(channel: string): Promise<void> {
    this.say(`JOIN ${channel}`);
    await this.waitFor(new RegExp(` 366 \\S+ ${RegExp.escape(channel)} `));
  }

  /** Waits for a line, including those received so far. */
  waitFor(pattern: RegExp, times = 1): Promise<string> {
    return new Promise((resolve) => {
      const look = () => {
        const line = this.lines.filter((each) => pattern.test(each))[times - 1];
        if (line === undefined) return;
        this.#waiting.delete(look);
        resolve(line);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Received messages: `sender target text`. */
  get messages(): string[] {
    return this.lines.flatMap((line) => {
      const [, from, target, text] = /^:([^! ]+)\S* PRIVMSG (\S+) :(.*)$/.exec(line) ?? [];
      return text === undefined ? [] : [`${from} ${target} ${text}`];
    });
  }

  leave(): void {
    this.#socket.destroy();
  }
}
