import { fstatSync, statfsSync } from 'node:fs';

const MIB = 1024 * 1024;
/** Beyond this size, a reader is blocking checkpoints: SQLite makes one every 32 MiB. */
const BLOCKED_LOG_BYTES = 64 * MIB;
const CHECK_INTERVAL_BYTES = MIB;
const EMPTY_INTERVAL_MS = 1_000;
/** https://www.sqlite.org/rescode.html#full */
const SQLITE_FULL = 13;

export interface LogGuardOptions {
  /** File descriptor of the write-ahead log. */
  log: number;
  folder: string;
  /** Maximum size of the log. */
  limitBytes: number;
  /** Moves the log into the database and empties it; returns whether that worked, which readers can prevent. */
  empty(): boolean;
}

/**
 * Keeps the write-ahead log within its limit and below the free space of its disk: a checkpoint may need as much space
 * again. A long-running reader prevents the log from being emptied.
 */
export class LogGuard {
  readonly #options: LogGuardOptions;
  #nextCheckBytes = CHECK_INTERVAL_BYTES;
  #emptiedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LogGuardOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return fstatSync(this.#options.log).size;
  }

  /** Call before each write. Throws if the log must not grow. */
  admit(): void {
    const size = this.bytes;
    if (size < this.#nextCheckBytes) return;
    const { bavail, bsize } = statfsSync(this.#options.folder);
    const free = bavail * bsize;
    if (size <= Math.min(BLOCKED_LOG_BYTES, free)) {
      this.#nextCheckBytes = size + CHECK_INTERVAL_BYTES;
      return;
    }
    if (this.#tryEmpty()) {
      this.#nextCheckBytes = CHECK_INTERVAL_BYTES;
      return;
    }
    if (size <= Math.min(this.#options.limitBytes, free)) return;
    throw Object.assign(new Error('the write-ahead log is full: a reader prevents a checkpoint'), {
      code: 'ERR_SQLITE_ERROR',
      errcode: SQLITE_FULL,
    });
  }

  /** At most once a second, because each attempt walks the whole log. */
  #tryEmpty(): boolean {
    const now = performance.now();
    if (now - this.#emptiedAt < EMPTY_INTERVAL_MS) return false;
    this.#emptiedAt = now;
    return this.#options.empty();
  }
}
