import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/*
 * Copies of the embedded store. `vacuum into` reads it as it was at one moment, while others go on writing; the
 * step-by-step backup of SQLite would begin anew whenever another process writes, and so might never end. What it
 * writes is compact, and free of what was deleted.
 */
export function copyWhileInUse(database: string, file: string): void {
  // Written under another name first: what has the right name is complete.
  const partial = `${file}.part`;
  rmSync(partial, { force: true });
  try {
    // SQLite fills a file that is there and empty, and leaves it its mode.
    closeSync(openSync(partial, 'wx', 0o600));
    {
      using db = new DatabaseSync(database, { readOnly: true });
      db.exec('pragma busy_timeout = 5000');
      db.prepare('vacuum into ?').run(partial);
    }
    flush(partial);
    refuseExisting(file);
    renameSync(partial, file);
    flush(dirname(file));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** Whether another process has the database open, be it at rest: then nobody gets it alone. */
export function isInUse(database: string): boolean {
  try {
    using db = new DatabaseSync(database);
    db.exec('pragma locking_mode = exclusive');
    db.exec('begin immediate');
    db.exec('rollback');
    return false;
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    return errcode === SQLITE_BUSY;
  }
}

/** What is wrong with the file, or undefined when it is a whole database. */
export function faultOfFile(file: string): string | undefined {
  try {
    using db = new DatabaseSync(file, { readOnly: true });
    const found = db.prepare('pragma quick_check(1)').get()?.['quick_check'];
    return found === 'ok' ? undefined : String(found);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Puts a copy in the place of a database; answers where the one is now that was there before. */
export function putInPlace(file: string, database: string, now: number): string | undefined {
  const partial = `${database}.part`;
  copyFileSync(file, partial);
  chmodSync(partial, 0o600);
  flush(partial);
  const before = existsSync(database) ? `${database}.replaced-${now}` : undefined;
  if (before !== undefined) {
    // Its log belongs to it, and would be taken for that of the new one.
    for (const suffix of ['-wal', '-shm', '']) {
      if (existsSync(database + suffix)) renameSync(database + suffix, before + suffix);
    }
  }
  renameSync(partial, database);
  flush(dirname(database));
  return before;
}

export function refuseExisting(file: string): void {
  if (existsSync(file)) throw new Error(`${file} is there already; nothing is overwritten`);
}

function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
