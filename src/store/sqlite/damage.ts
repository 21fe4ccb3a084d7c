import { existsSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** https://www.sqlite.org/rescode.html#corrupt */
const SQLITE_CORRUPT = 11;
/** A database with tables has more than one page. */
const PAGE_BYTES = 4096;

/** The error for a damaged file, in the form of SQLite's own. */
export function damage(fault: string): Error {
  const error = new Error(`the database file is damaged: ${fault}`);
  return Object.assign(error, { code: 'ERR_SQLITE_ERROR', errcode: SQLITE_CORRUPT });
}

/**
 * Whether the last process ended without closing the database, or another one has it open: a clean close deletes the
 * log.
 */
export function wasLeftOpen(database: string): boolean {
  return existsSync(`${database}-wal`);
}

/** Whether the file is missing or empty. */
export function isMissingOrEmpty(database: string): boolean {
  return sizeOf(database) <= PAGE_BYTES && sizeOf(`${database}-wal`) === 0;
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Checks the file in a separate thread, since this reads the whole file; returns the problem, if any. */
export function quickCheck(database: string): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const worker = new Worker(new URL('./check-thread.js', import.meta.url), {
    workerData: { database },
  });
  worker.once('message', resolve).once('error', reject);
  worker.once('exit', () => resolve(undefined));
  // A shutdown does not wait for the check.
  worker.unref();
  return promise;
}
