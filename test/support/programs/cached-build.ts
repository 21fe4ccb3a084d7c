import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { ROOT, type Sources } from '../sources.ts';

/** The folder that `build` fills from these sources; it is built once per content. */
export function cachedBuild(
  name: string,
  sources: Sources,
  build: (folder: string) => void,
): string {
  const cache = join(ROOT, 'node_modules', '.cache', name);
  const digest = createHash('sha256')
    .update(JSON.stringify([...sources]))
    .digest('hex');
  const current = digest.slice(0, 16);
  const folder = join(cache, current);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const lock = join(cache, 'making-lock');
  takeLock(lock);
  try {
    if (existsSync(folder)) return folder;
    // Built in a temporary folder and then moved, so that a failed build leaves nothing to find.
    const made = mkdtempSync(join(cache, 'making-'));
    build(made);
    const isOld = (one: string) => one !== current && !one.startsWith('making-');
    for (const old of readdirSync(cache).filter(isOld)) {
      rmSync(join(cache, old), { recursive: true, force: true });
    }
    renameSync(made, folder);
  } finally {
    rmSync(lock);
  }
  return folder;
}

const LOCK_POLL_MS = 100;

/** Waits for other processes that build the same: one builds, the others find its result. */
function takeLock(lock: string): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch {
      if (isAbandoned(lock)) rmSync(lock, { force: true });
      else Atomics.wait(cell, 0, 0, LOCK_POLL_MS);
    }
  }
}

/** Whether the process that took the lock has ended. */
function isAbandoned(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    if (pid === 0) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
