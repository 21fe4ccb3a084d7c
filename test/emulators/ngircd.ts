import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { requirement } from '../support/requirement.ts';

/* A real IRC server, as a child process. https://ngircd.barton.de/ */

export const NGIRCD = requirement('ngircd', 'apt-get install ngircd');

export interface IrcServer extends AsyncDisposable {
  readonly port: number;
  /** As an integration names it. */
  readonly address: string;
  /** Ends the process and starts it again on the same port. */
  restart(): Promise<void>;
  /** Ends the process. */
  stop(): Promise<void>;
  /** Somebody to talk with. */
  visitor(nick: string): Promise<Visitor>;
}

export interface NgircdOptions {
  /** Whether it makes those wait who say much, as it would by itself. */
  slowsDown?: boolean;
  password?: string;
  /** Lines of a `[Channel]` section each. */
  channels?: readonly string[];
}

export async function startNgircd(options: NgircdOptions = {}): Promise<IrcServer> {
  if (NGIRCD.path === undefined) throw new Error('ngircd is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-ngircd-'));
  const port = await freePort();
  const file = join(folder, 'ngircd.conf');
  await writeFile(file, configuration(port, options));
  // Started by root, it becomes somebody else before it reads the file again.
  await chmod(folder, 0o755);
  const visitors: Visitor[] = [];
  let child = await run(NGIRCD.path, file, port);

  const server: IrcServer = {
    port,
    address: `127.0.0.1:${port}`,
    async restart() {
      await server.stop();
      child = await run(NGIRCD.path ?? '', file, port);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
    async visitor(nick) {
      const visitor = await Visitor.connect(port, nick, options.password);
      visitors.push(visitor);
      return visitor;
    },
    async [Symbol.asyncDispose]() {
      for (const visitor of visitors) visitor.leave();
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
  return server;
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

async function run(path: string, file: string, port: number): Promise<ChildProcess> {
  const child = spawn(path, ['-n', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  // It does not outlive a test that fails before it is stopped.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let log = '';
  const read = (bytes: Buffer) => {
    log += bytes.toString();
    if (log.includes(`:${port}`) && / ready\./.test(log)) resolve();
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  child.once('error', reject);
  child.once('exit', () => reject(new Error(`ngircd ended: ${log}`)));
  await promise;
  return child;
}

/** It cannot be told to take any port that is free. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Another user of the server, who speaks the protocol by hand and hears every byte. */
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
    await visitor.hears(/ 001 /);
    return visitor;
  }

  say(...lines: string[]): void {
    for (const line of lines) this.#socket.write(`${line}\r\n`);
  }

  /** Goes to a channel. */
  async join(channel: string): Promise<void> {
    this.say(`JOIN ${channel}`);
    await this.hears(new RegExp(` 366 \\S+ ${RegExp.escape(channel)} `));
  }

  /** Waits for a line, from those heard so far on. */
  hears(pattern: RegExp, times = 1): Promise<string> {
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

  /** What was said, by whom and to whom: `bob #channel text`. */
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
