import { type Kysely, sql } from 'kysely';

import type { Engine } from '../engine.ts';
import type { Row, Value } from './rows.ts';

export interface CopyProgress {
  /** The key of the last copied row. */
  last: Value[];
  rows: number;
  done: boolean;
}

interface LedgerRow {
  name: string;
  last: string;
  rows: number;
  done: boolean;
}

/**
 * The PostgreSQL database that a store is moved to. Until the move is complete, an extra table records the progress,
 * committed together with each batch, so that a restarted move repeats nothing.
 */
export class Target {
  readonly #db: Kysely<unknown>;

  constructor({ db }: Engine) {
    // Without the plugins, names are those of the database.
    this.#db = db.withoutPlugins() as Kysely<unknown>;
  }

  /** The nodes of any role with a valid lease. */
  async running(): Promise<{ host: string; pid: number }[]> {
    const { rows } = await sql<{ host: string; pid: number }>`select host, pid from nodes
      where expires_at > (extract(epoch from clock_timestamp()) * 1000)::bigint`.execute(this.#db);
    return rows;
  }

  async isEmpty(table: string): Promise<boolean> {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(this.#db);
    return rows.length === 0;
  }

  /** The sealed value that identifies the store and its key ring; no two stores have the same. */
  async ringMarker(): Promise<string | undefined> {
    const { rows } = await sql<{ sealed: string }>`select sealed from ring_marker`.execute(
      this.#db,
    );
    return rows[0]?.sealed;
  }

  /** The progress of an earlier move by table; undefined if there was none. */
  async ledger(): Promise<Map<string, CopyProgress> | undefined> {
    const found = await sql<{ name: string | null }>`
      select to_regclass('switchboard_move')::text as name`.execute(this.#db);
    if (!found.rows[0]?.name) return undefined;
    const { rows } =
      await sql<LedgerRow>`select name, last, rows, done from switchboard_move`.execute(this.#db);
    return new Map(
      rows.map(({ name, last, ...rest }) => [name, { last: JSON.parse(last) as Value[], ...rest }]),
    );
  }

  async openLedger(): Promise<void> {
    await sql`create table if not exists switchboard_move (
      name text primary key, last text not null, rows bigint not null, done boolean not null)`.execute(
      this.#db,
    );
  }

  async closeLedger(): Promise<void> {
    await sql`drop table if exists switchboard_move`.execute(this.#db);
  }

  /** Empties a table, to copy it again. */
  async clear(table: string): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      await sql`truncate ${sql.table(table)}`.execute(trx);
      await sql`delete from switchboard_move where name = ${table}`.execute(trx);
    });
  }

  /** Stores rows together with the progress. */
  async put(
    table: string,
    columns: readonly string[],
    rows: readonly Row[],
    copied: CopyProgress,
  ): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      if (rows.length > 0) {
        const tuples = rows.map(
          (row) => sql`(${sql.join(columns.map((column) => sql`${stored(row[column] ?? null)}`))})`,
        );
        const names = sql.join(columns.map((column) => sql.ref(column)));
        await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(tuples)}`.execute(
          trx,
        );
      }
      await sql`insert into switchboard_move (name, last, rows, done)
        values (${table}, ${JSON.stringify(copied.last)}, ${copied.rows}, ${copied.done})
        on conflict (name) do update set last = excluded.last, rows = excluded.rows, done = excluded.done`.execute(
        trx,
      );
    });
  }

  /** The rows after this key, or the first ones, in the order of this database. */
  async page(
    table: string,
    key: readonly string[],
    after: readonly Value[],
    limit: number,
  ): Promise<Row[]> {
    const names = sql.join(key.map((column) => sql.ref(column)));
    const follows =
      after.length > 0
        ? sql`where (${names}) > (${sql.join(after.map((value) => sql`${value}`))})`
        : sql``;
    const { rows } = await sql<Row>`select * from ${sql.table(table)} ${follows}
      order by ${names} limit ${limit}`.execute(this.#db);
    return rows;
  }

  async setSequence(name: string, last: number): Promise<void> {
    await sql`select setval(${name}::regclass, ${Math.max(last, 1)}, ${last > 0})`.execute(
      this.#db,
    );
  }
}

/** `pg` accepts bytes only as a Buffer. */
function stored(value: Value): Value {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}
