import { fstatSync, statfsSync } from 'node:fs';

const MIB = 1024 * 1024;
/** A reader holds a log that has grown beyond this: SQLite itself moves it into the database every 32 MiB. */
const BEHIND_BYTES = 64 * MIB;
const LOOK_EVERY_BYTES = MIB;
const TRY_EVERY_MS = 1_000;
/** https://www.sqlite.org/rescode.html#full */
const SQLITE_FULL = 13;

export interface LogGuardOptions {
  /** The write-ahead log, open. */
  log: number;
  folder: string;
  /** How large the log may become. */
  limitBytes: number;
  /** Moves the log into the database and empties it; answers whether no reader was in the way. */
  empty(): boolean;
}

/**
 * Keeps the write-ahead log within its limit, and no larger than the free space of its disk: moving it into the database
 * takes up to as much. A reader that stays keeps the log from being emptied, however often that is tried.
 */
export class LogGuard {
  readonly #options: LogGuardOptions;
  #lookAgainAt = LOOK_EVERY_BYTES;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LogGuardOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return fstatSync(this.#options.log).size;
  }

  /** To be called before each write. Throws when the log must not grow. */
  admit(): void {
    const size = this.bytes;
    if (size < this.#lookAgainAt) return;
    const { bavail, bsize } = statfsSync(this.#options.folder);
    const free = bavail * bsize;
    if (size <= Math.min(BEHIND_BYTES, free)) {
      this.#lookAgainAt = size + LOOK_EVERY_BYTES;
      return;
    }
    if (this.#empties()) {
      this.#lookAgainAt = LOOK_EVERY_BYTES;
      return;
    }
    if (size <= Math.min(this.#options.limitBytes, free)) return;
    throw Object.assign(
      new Error('the write-ahead log is full: a reader keeps it from being emptied'),
      { code: 'ERR_SQLITE_ERROR', errcode: SQLITE_FULL },
    );
  }

  /** At most once a second, since each try goes through the whole log. */
  #empties(): boolean {
    const now = performance.now();
    if (now - this.#triedAt < TRY_EVERY_MS) return false;
    this.#triedAt = now;
    return this.#options.empty();
  }
}
