import { existsSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** https://www.sqlite.org/rescode.html#corrupt */
const SQLITE_CORRUPT = 11;
/** A database with tables has many pages. */
const PAGE_BYTES = 4096;

/** The error for a damaged file, as SQLite itself would give it. */
export function damage(fault: string): Error {
  const error = new Error(`the database file is damaged: ${fault}`);
  return Object.assign(error, { code: 'ERR_SQLITE_ERROR', errcode: SQLITE_CORRUPT });
}

/** Whether the last process ended without closing the database, or another one has it open: a clean close removes the log. */
export function wasLeftOpen(database: string): boolean {
  return existsSync(`${database}-wal`);
}

/** Whether there is no file, or one that holds nothing. */
export function isMissingOrEmpty(database: string): boolean {
  return sizeOf(database) <= PAGE_BYTES && sizeOf(`${database}-wal`) === 0;
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Checks the file in a thread of its own, since that takes as long as reading all of it; answers what is wrong with it. */
export function quickCheck(database: string): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const worker = new Worker(new URL('./check-thread.js', import.meta.url), {
    workerData: { database },
  });
  worker.once('message', resolve).once('error', reject);
  worker.once('exit', () => resolve(undefined));
  // A stop does not wait for it.
  worker.unref();
  return promise;
}
