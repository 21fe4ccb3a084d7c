import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

import { requirement } from '../requirement.ts';
import { until } from '../until.ts';
import { freePort } from './postgres.ts';

export const PGBOUNCER = requirement('pgbouncer', 'apt-get install pgbouncer');

const NOBODY = 65534;

export interface Pgbouncer extends AsyncDisposable {
  /** The URL of the database through pgbouncer. */
  url: string;
  /** Whether it supports prepared statements in transaction mode, as since version 1.21. */
  knowsPrepared: boolean;
}

/** Starts pgbouncer in front of a database, in transaction mode and otherwise with its defaults. */
export async function startPgbouncer(database: string): Promise<Pgbouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-pgbouncer-'));
  const target = new URL(database);
  const port = await freePort();
  const name = target.pathname.slice(1);
  const file = join(folder, 'pgbouncer.ini');
  const knowsPrepared = await isAtLeast(1, 21);
  writeFileSync(
    file,
    `[databases]
${name} = host=${target.hostname} port=${target.port} user=${target.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
${knowsPrepared ? 'max_prepared_statements = 100' : ''}
`,
  );
  const asRoot = process.getuid?.() === 0;
  // pgbouncer refuses to run as root.
  if (asRoot) for (const path of [folder, file]) chownSync(path, NOBODY, NOBODY);
  chmodSync(folder, 0o755);
  const child = spawn(PGBOUNCER.path ?? '', [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(asRoot && { uid: NOBODY, gid: NOBODY }),
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4_000)));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  target.port = String(port);
  const url = target.href;
  await until('pgbouncer answers', async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer did not start:\n${log}`);
    return answers(url);
  });
  return {
    url,
    knowsPrepared,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function isAtLeast(major: number, minor: number): Promise<boolean> {
  const child = spawn(PGBOUNCER.path ?? '', ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const text = (await child.stdout.setEncoding('utf8').toArray()).join('');
  const [, own = 0, version = 0] = /(\d+)\.(\d+)/.exec(text)?.map(Number) ?? [];
  return own > major || (own === major && version >= minor);
}
