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
 * Copies of the embedded store. `vacuum into` reads a consistent snapshot while others keep writing. SQLite's
 * incremental backup would restart whenever another process writes, and might never end. The copy is compact and
 * contains no deleted data.
 */
export function copyWhileInUse(database: string, file: string): void {
  // Write under another name first, so that a file with the final name is complete.
  const partial = `${file}.part`;
  rmSync(partial, { force: true });
  try {
    // SQLite fills an existing empty file and keeps its mode.
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

/** Whether another process has the database open, even if idle: then an exclusive lock fails. */
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

/** The problem with the file, or undefined if it is an intact database. */
export function faultOfFile(file: string): string | undefined {
  try {
    using db = new DatabaseSync(file, { readOnly: true });
    const result = db.prepare('pragma quick_check(1)').get()?.['quick_check'];
    return result === 'ok' ? undefined : String(result);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Replaces a database by a copy; returns the new path of the previous one. */
export function replaceDatabase(file: string, database: string, now: number): string | undefined {
  const partial = `${database}.part`;
  copyFileSync(file, partial);
  chmodSync(partial, 0o600);
  flush(partial);
  const before = existsSync(database) ? `${database}.replaced-${now}` : undefined;
  if (before !== undefined) {
    // The old log must go too: SQLite would apply it to the new database.
    for (const suffix of ['-wal', '-shm', '']) {
      if (existsSync(database + suffix)) renameSync(database + suffix, before + suffix);
    }
  }
  renameSync(partial, database);
  flush(dirname(database));
  return before;
}

export function refuseExisting(file: string): void {
  if (existsSync(file)) throw new Error(`${file} already exists; nothing is overwritten`);
}

function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
