import { closeSync, fdatasync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';

const KEPT_STATEMENTS = 200;
/** https://www.sqlite.org/rescode.html#ioerr_fsync */
const IOERR_FSYNC = 1034;

const flushFile = promisify(fdatasync);

/** The database as its thread sees it: everything here blocks. */
export class Database {
  readonly #db: DatabaseSync;
  /** The log that commits are written to, where there is one. */
  readonly #log: number | undefined;
  /** A flush has failed: what the system holds of the log may never reach the disk. */
  #isDoubtful = false;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    // First, since setting the journal mode has to wait for others too.
    this.#db.exec('pragma busy_timeout = 5000');
    this.#db.exec('pragma synchronous = full');
    const journal = this.#db.prepare('pragma journal_mode = wal').get()?.['journal_mode'];
    if (journal === 'wal') {
      // The log is made by whoever reads first.
      this.#db.exec('select 1 from sqlite_schema');
      this.#log = openSync(`${path}-wal`, 'r+');
      // `flush` flushes many commits at a time. https://www.sqlite.org/pragma.html#pragma_synchronous
      this.#db.exec('pragma synchronous = normal');
    }
    this.#db.exec('pragma foreign_keys = on');
    // Not more: all of it is gone through at each commit in which pages of an index have changed places.
    this.#db.exec('pragma cache_size = -16384');
    // Rarely, since moving the log into the database flushes too: every 32 MB.
    this.#db.exec('pragma wal_autocheckpoint = 8000');
    this.#db.exec('pragma journal_size_limit = 67108864');
  }

  /** The statement, prepared once. */
  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= KEPT_STATEMENTS) this.#statements.clear();
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** The statement, prepared once, whose rows are lists of values: cheaper than objects. */
  prepareLists(sql: string): StatementSync {
    const statement = this.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  query(sql: string, parameters: SQLInputValue[]): { rows: unknown[]; changes: number } {
    const statement = this.prepare(sql);
    if (statement.columns().length > 0) return { rows: statement.all(...parameters), changes: 0 };
    return { rows: [], changes: Number(statement.run(...parameters).changes) };
  }

  get isInTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** All of it in one commit, or nothing. */
  commit<Result>(work: () => Result): Result {
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

  /** A failed commit may have rolled back by itself; a second rollback would only hide why. */
  rollback(): void {
    if (this.#db.isTransaction) this.#db.exec('rollback');
  }

  /** Waits until all that was committed before is on disk. */
  async flush(): Promise<void> {
    if (this.#log === undefined) return;
    try {
      if (this.#isDoubtful) this.#moveLog();
      await flushFile(this.#log);
    } catch (cause) {
      this.#isDoubtful = true;
      const error = new Error('what was written could not be flushed to disk', { cause });
      throw Object.assign(error, { code: 'ERR_SQLITE_ERROR', errcode: IOERR_FSYNC });
    }
  }

  /**
   * Writes what is in the log into the database itself, and flushes that. After a failed flush another one of the
   * log may succeed without having written anything: https://lwn.net/Articles/752063/
   */
  #moveLog(): void {
    const moved = this.#db.prepare('pragma wal_checkpoint(truncate)').get();
    if (moved?.['busy'] !== 0) throw new Error('the log of the database is in use');
    this.#isDoubtful = false;
  }

  close(): void {
    this.#db.close();
    if (this.#log !== undefined) closeSync(this.#log);
  }
}
