import { closeSync, fdatasync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';

import { LogGuard } from './log-guard.ts';

const MAX_PREPARED_STATEMENTS = 200;
/** https://www.sqlite.org/rescode.html#ioerr_fsync */
const IOERR_FSYNC = 1034;
const BUSY_TIMEOUT_MS = 5_000;
/** Every 32 MB; rare, because a checkpoint flushes too. */
const CHECKPOINT_PAGES = 8_000;
const NEXT_ID = `update sequences set last = last + 1 where name = 'account_ids' returning last`;
/**
 * SQLite plans with the value of a parameter that is a limit, and therefore compiles the statement again at each run,
 * which takes longer than to claim a message. With an expression it does not.
 */
const LIMIT = 'limit ? + 0';
export const DEFAULT_LOG_LIMIT_BYTES = 4 * 1024 ** 3;

const flushFile = promisify(fdatasync);

/** The database in its own thread. All methods except `flush` block. */
export class Database {
  readonly #db: DatabaseSync;
  /** File descriptor of the write-ahead log, if there is one. */
  readonly #log: number | undefined;
  readonly #guard: LogGuard | undefined;
  /** A flush failed: commits in the log may never reach the disk. */
  #hasFlushFailed = false;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, limitBytes = DEFAULT_LOG_LIMIT_BYTES) {
    this.#db = new DatabaseSync(path);
    // First, because setting the journal mode may have to wait as well.
    this.#db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.#db.exec('pragma synchronous = full');
    const journal = this.#db.prepare('pragma journal_mode = wal').get()?.['journal_mode'];
    if (journal === 'wal') {
      // The first read creates the log.
      this.#db.exec('select 1 from sqlite_schema');
      this.#log = openSync(`${path}-wal`, 'r+');
      this.#guard = new LogGuard({
        log: this.#log,
        folder: dirname(path),
        limitBytes,
        empty: () => this.#emptyLog(),
      });
      // `flush` makes many commits durable at once. https://www.sqlite.org/pragma.html#pragma_synchronous
      this.#db.exec('pragma synchronous = normal');
    }
    this.#db.exec('pragma foreign_keys = on');
    // Erased people leave no traces in the file. https://www.sqlite.org/pragma.html#pragma_secure_delete
    this.#db.exec('pragma secure_delete = on');
    // Not larger: SQLite walks the whole cache at each commit that moved index pages.
    this.#db.exec('pragma cache_size = -16384');
    this.#db.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    this.#db.exec('pragma journal_size_limit = 67108864');
  }

  /** Prepares and caches a statement. */
  prepare(sql: string): StatementSync {
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    if (this.#statements.size >= MAX_PREPARED_STATEMENTS) this.#statements.clear();
    const statement = this.#db.prepare(sql.replaceAll('limit ?', LIMIT));
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Like `prepare`, but rows are arrays of values, which are cheaper than objects. */
  prepareLists(sql: string): StatementSync {
    const statement = this.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  query(sql: string, parameters: SQLInputValue[]): { rows: unknown[]; changes: number } {
    if (!this.#db.isTransaction && !isRead(sql)) this.#guard?.admit();
    const statement = this.prepare(sql);
    if (statement.columns().length > 0) return { rows: statement.all(...parameters), changes: 0 };
    return { rows: [], changes: Number(statement.run(...parameters).changes) };
  }

  /** Runs a statement once for each row of parameters, in one commit. */
  runMany(sql: string, rows: readonly SQLInputValue[][]): void {
    this.commit(() => {
      const statement = this.prepare(sql);
      for (const row of rows) statement.run(...row);
    });
  }

  get isInTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Rows changed since the database was opened. */
  get changes(): number {
    return Number(this.prepare('select total_changes() as count').get()?.['count']);
  }

  commit<Result>(work: () => Result): Result {
    this.#guard?.admit();
    this.prepare('begin immediate').run();
    try {
      const result = work();
      this.prepare('commit').run();
      return result;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** A failed commit may have rolled back already; a second rollback would hide the original error. */
  rollback(): void {
    if (this.#db.isTransaction) this.#db.exec('rollback');
  }

  /** The next id of an account, application, integration or key. */
  nextId(): number {
    this.#guard?.admit();
    return Number(this.prepare(NEXT_ID).get()?.['last']);
  }

  /** Throws if messages cannot be accepted. */
  ping(): void {
    this.#guard?.admit();
    this.prepare(`select last from sequences where name = 'message_ids'`).get();
  }

  /**
   * Moves the log into the database file, so that the file alone contains all commits. Does not wait for readers;
   * returns whether the log is empty.
   */
  checkpoint(): boolean {
    if (this.#guard?.bytes === 0 || this.#db.isTransaction) return false;
    this.#db.exec('pragma busy_timeout = 0');
    try {
      return this.#db.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0;
    } finally {
      this.#db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /**
   * Stops automatic checkpoints while a reader blocks them: SQLite would walk the whole log at each commit.
   */
  #emptyLog(): boolean {
    const isEmpty = this.checkpoint();
    if (isEmpty) this.#db.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    else this.#db.exec('pragma wal_autocheckpoint = 0');
    return isEmpty;
  }

  /** Waits until all previous commits are on disk. */
  async flush(): Promise<void> {
    if (this.#log === undefined) return;
    try {
      if (this.#hasFlushFailed) this.#checkpointLog();
      await flushFile(this.#log);
    } catch (cause) {
      this.#hasFlushFailed = true;
      const error = new Error('flush to disk failed', { cause });
      throw Object.assign(error, { code: 'ERR_SQLITE_ERROR', errcode: IOERR_FSYNC });
    }
  }

  /**
   * Writes the log into the database file and flushes that. After a failed flush, another flush of the log may
   * succeed without having written anything: https://lwn.net/Articles/752063/
   */
  #checkpointLog(): void {
    const checkpoint = this.#db.prepare('pragma wal_checkpoint(truncate)').get();
    if (checkpoint?.['busy'] !== 0) throw new Error('the write-ahead log is in use');
    this.#hasFlushFailed = false;
  }

  close(): void {
    this.#db.close();
    if (this.#log !== undefined) closeSync(this.#log);
  }
}

export const isDelete = (sql: string): boolean => sql.startsWith('delete ');

export const isRead = (sql: string): boolean => sql.startsWith('select ');
