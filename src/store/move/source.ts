import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

import {
  DummyDriver,
  Kysely,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';

import { MIGRATIONS } from '../migrations/index.ts';
import type { Row, Value } from './rows.ts';

interface RunningNode {
  id: string;
  pid: number;
}

/** The columns with sealed values. */
const SEALED = [
  ['keys', 'secret'],
  ['integrations', 'credentials'],
  ['integrations', 'hook'],
  ['idempotency', 'response'],
  ['digest_keys', 'secret'],
  ['erasures', 'subject'],
  ['ring_marker', 'sealed'],
] as const;

/** Compiles statements for SQLite without running them. */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** A read-only snapshot of the embedded store. */
export class Source implements Disposable {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    if (!existsSync(path)) throw new Error(`no store found at ${path}`);
    this.#db = new DatabaseSync(path, { readOnly: true });
    this.#db.exec('pragma busy_timeout = 5000');
    // Start the snapshot: everything read later is as of now, even if a service keeps writing.
    this.#db.exec('begin');
    this.#db.prepare('select count(*) from sqlite_schema').get();
  }

  /** The migrations that it lacks. */
  get missingMigrations(): string[] {
    const applied = new Set(
      this.#has('migrations')
        ? this.#db
            .prepare('select name from migrations')
            .all()
            .map(({ name }) => String(name))
        : [],
    );
    return Object.keys(MIGRATIONS).filter((name) => !applied.has(name));
  }

  /** The nodes with a valid lease. */
  runningNodes(now: number): RunningNode[] {
    const rows = this.#db.prepare('select id, pid from nodes where expires_at > ?').all(now);
    return rows.map(({ id, pid }) => ({ id: String(id), pid: Number(pid) }));
  }

  columns(table: string): string[] {
    const rows = this.#db.prepare('select name from pragma_table_info(?)').all(table);
    return rows.map(({ name }) => String(name)).toSorted();
  }

  count(table: string): number {
    return Number(this.#all(sql`select count(*) as count from ${sql.table(table)}`)[0]?.['count']);
  }

  /** The rows after this key, or the first ones. */
  page(table: string, key: readonly string[], after: readonly Value[], limit: number): Row[] {
    const names = sql.join(key.map((column) => sql.ref(column)));
    const follows =
      after.length > 0
        ? sql`where (${names}) > (${sql.join(after.map((value) => sql`${value}`))})`
        : sql``;
    return this.#all(sql`select * from ${sql.table(table)} ${follows}
      order by ${names} limit ${limit}`);
  }

  /** The longest retention of an application, in days; 0 if none has its own. */
  get longestRetention(): number {
    const [row] = this.#all(sql`select max(days) as days from retentions`);
    return Number(row?.['days'] ?? 0);
  }

  /** The last value of a sequence. */
  lastOf(sequence: string): number {
    const row = this.#db.prepare('select last from sequences where name = ?').get(sequence);
    return Number(row?.['last']);
  }

  /** The ids of the ring keys in use. */
  get ringKeys(): string[] {
    const ids = SEALED.flatMap(([table, column]) => {
      const sealed = sql.ref(column);
      return this.#all(sql`select distinct substr(${sealed}, 1, instr(${sealed}, '.') - 1) as id
        from ${sql.table(table)} where ${sealed} is not null`).map(({ id }) => String(id));
    });
    return [...new Set(ids)].toSorted();
  }

  /** The sealed value that tells whether a key ring is the right one. */
  get ringMarker(): string | undefined {
    const row = this.#db.prepare('select sealed from ring_marker').get();
    return row && String(row['sealed']);
  }

  #all(statement: RawBuilder<unknown>): Row[] {
    const { sql: text, parameters } = statement.compile(compiler);
    return this.#db.prepare(text).all(...(parameters as SQLInputValue[])) as Row[];
  }

  #has(table: string): boolean {
    const found = this.#db.prepare('select 1 from sqlite_schema where name = ?').get(table);
    return found !== undefined;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
