import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { until } from '../../support/until.ts';

/* A real protocol server as a child process, with its own folder and port. */

export interface ChildServer<Visitor> extends AsyncDisposable {
  readonly port: number;
  /** The address as an integration has it. */
  readonly address: string;
  /** Stops the process and starts it again on the same port. */
  restart(): Promise<void>;
  /** Stops the process. */
  stop(): Promise<void>;
  /** Connects another user. */
  visitor(name: string): Promise<Visitor>;
}

export interface Program<Visitor> {
  name: string;
  /** Undefined when it is not installed. */
  path: string | undefined;
  /** Writes the configuration into the folder and returns the command. */
  prepare(folder: string, port: number): Promise<readonly string[]>;
  visit(port: number, name: string): Promise<Visitor>;
}

export async function startChild<Visitor extends { leave(): void | Promise<void> }>({
  name,
  path,
  prepare,
  visit,
}: Program<Visitor>): Promise<ChildServer<Visitor>> {
  if (path === undefined) throw new Error(`${name} is not installed`);
  const folder = await mkdtemp(join(tmpdir(), `switchboard-${name}-`));
  // Started as root, some servers switch to another user before they read it again.
  await chmod(folder, 0o755);
  const port = await freePort();
  const given = await prepare(folder, port);
  const visitors: Visitor[] = [];
  let child = await run(path, given, port);

  const server: ChildServer<Visitor> = {
    port,
    address: `127.0.0.1:${port}`,
    async restart() {
      await server.stop();
      child = await run(path, given, port);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
    async visitor(who) {
      const visitor = await visit(port, who);
      visitors.push(visitor);
      return visitor;
    },
    async [Symbol.asyncDispose]() {
      for (const visitor of visitors) await visitor.leave();
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
  return server;
}

async function run(path: string, given: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(path, given, { stdio: ['ignore', 'pipe', 'pipe'] });
  // Ends with the test even if the test fails before it stops the server.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (log += bytes.toString()));
  }
  await until(`${path} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${path} ended: ${log}`);
    return canConnect(port);
  });
  return child;
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Such servers cannot choose a free port themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
