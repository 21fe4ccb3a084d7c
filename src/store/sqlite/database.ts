import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

const KEPT_STATEMENTS = 200;

/** The database as its thread sees it: everything here blocks. */
export class Database {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    // First, since setting the journal mode has to wait for others too.
    this.#db.exec('pragma busy_timeout = 5000');
    this.#db.exec('pragma journal_mode = wal');
    // NORMAL would not fsync at commit: https://www.sqlite.org/pragma.html#pragma_synchronous
    this.#db.exec('pragma synchronous = full');
    this.#db.exec('pragma foreign_keys = on');
    this.#db.exec('pragma cache_size = -32768');
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

  query(sql: string, parameters: SQLInputValue[]): { rows: unknown[]; changes: number } {
    const statement = this.prepare(sql);
    if (statement.columns().length > 0) return { rows: statement.all(...parameters), changes: 0 };
    return { rows: [], changes: Number(statement.run(...parameters).changes) };
  }

  /** All of it in one durable commit, or nothing. */
  commit<Result>(work: () => Result): Result {
    this.#db.exec('begin immediate');
    try {
      const result = work();
      this.#db.exec('commit');
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

  close(): void {
    this.#db.close();
  }
}
