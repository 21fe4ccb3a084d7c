import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Schema } from '../schema.ts';
import { TABLES, inDatabase } from '../tables.ts';
import type { Partitions } from '../upkeep/partitions.ts';
import { type Partition, createPartition, partitionFrom } from './partition.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Partitions per retention period. Data is kept at most one partition width longer than required. */
const PARTITIONS_PER_RETENTION = 10;

const PARTITIONED = Object.entries(TABLES).flatMap(([table, layout]) =>
  'time' in layout
    ? {
        table: inDatabase(table),
        time: inDatabase(layout.time),
        /** Within an application. */
        key: layout.key.filter((column) => column !== 'applicationId').map(inDatabase),
      }
    : [],
);

/** PostgreSQL's lock_not_available, and check_violation for a row that was inserted meanwhile. */
const LOCK_NOT_AVAILABLE = '55P03';
const CHECK_VIOLATION = '23514';
const UNDEFINED_TABLE = '42P01';

const BOUNDS = /^FOR VALUES FROM \('(\d+)'\) TO \('(\d+)'\)$/;

/** The width of a partition in whole hours, as milliseconds. */
function widthOf(retention: Millis): Millis {
  return Math.max(1, Math.floor(retention / PARTITIONS_PER_RETENTION / HOUR_MS)) * HOUR_MS;
}

/**
 * Creates and drops the partitions of messages, attempts and events. Besides those by time, each table has a rest
 * partition, which is empty unless a clock was wrong or no partitions were created for a while. Messages have another
 * one for open messages, which is never dropped. Rows stay in the partition into which they were inserted.
 */
export class PostgresPartitions implements Partitions {
  readonly #db: Kysely<Schema>;
  #recent: Millis = 0;
  /**
   * For partitions that only some applications still need: the id up to which the rows of other applications are
   * deleted.
   */
  readonly #clearedUpTo = new Map<string, Id>();

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  get recent(): Millis {
    return this.#recent;
  }

  async createMissing(now: Millis, retention: Millis, since: Millis = now): Promise<void> {
    const width = widthOf(retention);
    const partitions = await this.#list();
    for (const { table, time } of PARTITIONED) {
      const ofTable = partitions.filter((partition) => partition.table === table);
      const last = Math.max(0, ...ofTable.map(({ to }) => to));
      const first = Math.max(last, Math.floor(now / width) * width);
      // The next run starts after the last partition and before the first, so leave no gap.
      for (let from = first; from <= now + width; from += width) {
        if (!(await this.#create(table, time, from, from + width))) break;
      }
      const earliest = Math.min(first, ...ofTable.map(({ from }) => from));
      for (let to = earliest; to > since; to -= width) {
        if (!(await this.#create(table, time, to - width, to))) break;
      }
    }
    this.#recent = startOfRecent(await this.#list(), now);
  }

  async remove(now: Millis, retention: Millis, limit: number): Promise<boolean> {
    const before = now - retention;
    let hasMore = false;
    for (const { table, time, key } of PARTITIONED) {
      const ofTable = (await this.#list()).filter((partition) => partition.table === table);
      for (const { name, to } of ofTable.filter((partition) => partition.to <= before)) {
        const hasRows = await unlessDropped(async () => {
          if (await this.#isNeeded(name, now - to)) return this.#clear(name, key, limit);
          await this.#drop(name);
          this.#clearedUpTo.delete(name);
          return false;
        });
        if (hasRows === true) hasMore = true;
      }
      // Partitions wider than the current retention requires, and the rest.
      const width = widthOf(retention);
      const tooWide = ofTable.filter(
        ({ from, to }) => to - from > width && from < before && to > before,
      );
      for (const name of [...tooWide.map((partition) => partition.name), `${table}_rest`]) {
        const removed = await unlessDropped(() => this.#removeRows(name, time, before, limit));
        if ((removed ?? 0) > 0) hasMore = true;
      }
    }
    return hasMore;
  }

  async #list(db = this.#db): Promise<Partition[]> {
    const tables = PARTITIONED.map(({ table }) => table);
    const { rows } = await sql<{ table: string; name: string; bounds: string }>`
      select parent.relname as table, child.relname as name,
        pg_get_expr(child.relpartbound, child.oid) as bounds
      from pg_inherits i join pg_class child on child.oid = i.inhrelid
      join pg_class parent on parent.oid = i.inhparent
      where parent.oid = any(${tables}::regclass[])`.execute(db);
    return rows.flatMap(({ table, name, bounds }) => {
      const [, from, to] = BOUNDS.exec(bounds) ?? [];
      return Number(from) > 0 ? { table, name, from: Number(from), to: Number(to) } : [];
    });
  }

  /**
   * Creates a partition. If the rest partition has rows of this time, it starts with the hour after the last of them.
   * Returns false if it must be tried again.
   */
  async #create(table: string, time: string, from: Millis, to: Millis): Promise<boolean> {
    const at = sql.ref(time);
    const { rows } = await sql<{ last: Millis | null }>`select max(${at}) as last
      from ${sql.table(`${table}_rest`)} where ${at} >= ${from} and ${at} < ${to}`.execute(
      this.#db,
    );
    const last = rows[0]?.last ?? null;
    const start = last === null ? from : (Math.floor(last / HOUR_MS) + 1) * HOUR_MS;
    if (start >= to) return true;
    return this.#unlessBusy(async (trx) => {
      const existing = (await this.#list(trx)).filter((partition) => partition.table === table);
      if (existing.some((other) => other.from < to && other.to > start)) return;
      await createPartition(trx, partitionFrom(table, start, to));
    });
  }

  #drop(name: string): Promise<boolean> {
    return this.#unlessBusy(async (trx) => {
      await sql`drop table if exists ${sql.table(name)}`.execute(trx);
    });
  }

  /**
   * Runs on one node at a time; returns whether it ran. A waiting table lock blocks all later statements on the table,
   * so it waits only briefly; the next run does the rest.
   */
  async #unlessBusy(work: (trx: Kysely<Schema>) => Promise<void>): Promise<boolean> {
    try {
      return await this.#db.transaction().execute(async (trx) => {
        await sql`set local lock_timeout = '500ms'`.execute(trx);
        const { rows } = await sql<{ isAlone: boolean }>`
          select pg_try_advisory_xact_lock(4409203388412750813) as is_alone`.execute(trx);
        if (!rows[0]?.isAlone) return false;
        await work(trx);
        return true;
      });
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code !== LOCK_NOT_AVAILABLE && code !== CHECK_VIOLATION) throw error;
      return false;
    }
  }

  /** Whether an application that keeps data for longer than `age` has rows in the partition. */
  async #isNeeded(name: string, age: Millis): Promise<boolean> {
    const partition = sql.table(name);
    const days = Math.floor(age / DAY_MS);
    // `lateral` with a limit: one lookup per application, even with stale statistics of the partition.
    const { rows } = await sql`select r.application_id from retentions r
      cross join lateral (select 1 as found from ${partition} p
        where p.application_id = r.application_id limit 1) as kept
      where r.days > ${days} limit 1`.execute(this.#db);
    return rows.length > 0;
  }

  /**
   * Deletes up to `limit` rows of applications with the default retention from a partition that others need.
   * Returns whether there may be more. Old partitions get no new rows, so each is gone through once.
   */
  async #clear(name: string, key: readonly string[], limit: number): Promise<boolean> {
    const partition = sql.table(name);
    const order = sql.join(key.map((column) => sql.ref(column)));
    for (let seen = 0; seen < limit; seen++) {
      const after = this.#clearedUpTo.get(name) ?? 0;
      const { rows } = await sql<{ applicationId: Id; isKept: boolean }>`select p.application_id,
          exists (select 1 from retentions r where r.application_id = p.application_id) as is_kept
        from ${partition} p where p.application_id > ${after}
        order by p.application_id limit 1`.execute(this.#db);
      const [next] = rows;
      if (!next) return false;
      if (!next.isKept) {
        const { numAffectedRows } = await sql`delete from ${partition} where ctid = any(array(
          select ctid from ${partition} where application_id = ${next.applicationId}
          order by ${order} limit ${limit}))`.execute(this.#db);
        if (Number(numAffectedRows ?? 0) >= limit) return true;
      }
      this.#clearedUpTo.set(name, next.applicationId);
    }
    return true;
  }

  async #removeRows(name: string, time: string, before: Millis, limit: number): Promise<number> {
    const partition = sql.table(name);
    const at = sql.ref(time);
    const { numAffectedRows } = await sql`delete from ${partition} where ctid = any(array(
      select p.ctid from ${partition} p where p.${at} < ${before} and not exists
        (select 1 from retentions r where r.application_id = p.application_id) limit ${limit}))`.execute(
      this.#db,
    );
    return Number(numAffectedRows ?? 0);
  }
}

/** The start of the second newest partition in use: requests are mostly about the last few days. */
function startOfRecent(partitions: readonly Partition[], now: Millis): Millis {
  const started = partitions.filter(({ table, from }) => table === 'outbox' && from <= now);
  const [last = 0, secondNewest = last] = started.map(({ from }) => from).toSorted((a, b) => b - a);
  return secondNewest;
}

/** Undefined if another node has dropped the partition meanwhile. */
async function unlessDropped<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNDEFINED_TABLE) throw error;
    return undefined;
  }
}
