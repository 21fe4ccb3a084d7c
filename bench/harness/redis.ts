import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { findProgram } from '../../test/support/requirement.ts';
import { freePort } from '../../test/support/store/postgres.ts';
import { atEnd } from './cleanup.ts';

/** Redis `appendfsync`: flush before the response, or once a second. */
export type Flush = 'always' | 'everysec';

/** Starts a Redis that stores its data in `folder`. */
export async function startRedis(
  flush: Flush,
  folder: string,
): Promise<{ url: string; pid: number }> {
  const port = await freePort();
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: flush,
    'maxmemory-policy': 'noeviction',
  };
  const child = spawn(
    redisPath(),
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    { stdio: 'ignore' },
  );
  atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  for (let attempts = 0; !(await listens(port)); attempts++) {
    if (child.exitCode !== null || attempts > 200) throw new Error('redis-server did not start');
    await pause(50);
  }
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid ?? 0 };
}

/** Throws if it is not installed. */
export function redisPath(): string {
  const path = findProgram('redis-server');
  if (path !== undefined) return path;
  throw new Error('redis-server is not installed. Install it with: apt-get install redis-server');
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
