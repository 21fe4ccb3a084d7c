import { longestRetention } from '../../model/policies/retention.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { migrate } from '../migrate.ts';
import { TABLES, inDatabase, keyIn } from '../tables.ts';
import { Checksum, type Row, type Sum, type Value } from './rows.ts';
import type { Source } from './source.ts';
import { type CopyProgress, Target } from './target.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ROWS_PER_BATCH = 1_000;
/** PostgreSQL allows 65,535 parameters per statement. */
const MAX_PARAMETERS = 60_000;
/** For rows of up to several megabytes each. */
const LARGE_ROWS_PER_BATCH = 10;

const SEQUENCES = ['account_ids', 'message_ids'] as const;

interface Table {
  name: string;
  /** The key by which rows are read on both sides. */
  key: readonly string[];
  targetKey: readonly string[];
  batch: number;
  /** Converts a row for the target. */
  change(row: Row): Row;
}

/** Nodes are processes of the old store; none runs on the new one yet. */
const SKIPPED_TABLES: ReadonlySet<string> = new Set(['nodes']);

const COPIED_TABLES: readonly Table[] = (Object.keys(TABLES) as (keyof typeof TABLES)[])
  .map((table) => ({
    name: inDatabase(table),
    key: keyIn('sqlite', table).map(inDatabase),
    targetKey: keyIn('postgres', table).map(inDatabase),
    batch: table === 'chatFiles' ? LARGE_ROWS_PER_BATCH : ROWS_PER_BATCH,
    change: (row: Row) => (table === 'ownerships' ? { ...row, node: null } : row),
  }))
  .filter(({ name }) => !SKIPPED_TABLES.has(name));

/** Reports the number of copied rows of the total, and the current table. */
type MoveProgress = (step: 'copy' | 'check', table: string, done: number, all: number) => void;

interface MovedTable extends Sum {
  table: string;
}

export interface Moved {
  tables: MovedTable[];
  rows: number;
  /** Whether an earlier move had started or was complete. */
  was: 'new' | 'begun' | 'complete';
}

/** The target cannot be used; the message is for the operator. */
export class MoveRefused extends Error {
  override name = 'MoveRefused';
}

interface Period {
  retention: Millis;
  now: Millis;
}

/**
 * The age limit of rows, as a time. Applications may have been allowed a longer retention when that of the service was
 * longer; older rows go to the rest partition.
 */
function oldestKept(source: Source, { retention, now }: Period): Millis {
  const days = Math.min(source.longestRetention, longestRetention(retention / DAY_MS));
  return now - Math.max(retention, days * DAY_MS);
}

/**
 * Copies a store, verifies it, and returns a summary. `period` gives the retention and the current time, which
 * determine the partitions to create.
 */
export async function move(
  source: Source,
  engine: Engine,
  period: Period,
  progress: MoveProgress,
): Promise<Moved> {
  await migrate(engine);
  const target = new Target(engine);
  const [running] = await target.running();
  if (running) {
    throw new MoveRefused(
      `a service is running on the target (process ${running.pid} on ${running.host}); stop it, and move again after ten seconds`,
    );
  }
  const begun = await target.ledger();
  if (!begun && !(await isEmpty(target))) {
    if (source.ringMarker === (await target.ringMarker())) {
      const tables = await check(source, target, progress);
      if (!tables.some(({ differs }) => differs)) return summary(tables, 'complete');
    }
    throw new MoveRefused('the target contains other data; use an empty database');
  }
  await target.openLedger();
  await engine.partitions?.createMissing(period.now, period.retention, oldestKept(source, period));
  await copy(source, target, progress);
  let tables = await check(source, target, progress);
  const changed = tables.filter(({ differs }) => differs);
  if (changed.length > 0) {
    // The source was written to after an earlier move that did not complete.
    for (const { table } of changed) await target.clear(table);
    await copy(source, target, progress);
    tables = await check(source, target, progress);
  }
  const wrong = tables.filter(({ differs }) => differs).map(({ table }) => table);
  if (wrong.length > 0) {
    throw new MoveRefused(`the target differs from the source: ${wrong.join(', ')}`);
  }
  for (const sequence of SEQUENCES) await target.setSequence(sequence, source.lastOf(sequence));
  await target.closeLedger();
  return summary(tables, begun ? 'begun' : 'new');
}

function summary(tables: readonly Checked[], was: Moved['was']): Moved {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const sums = tables.map(({ table, rows: count, checksum }) => ({ table, rows: count, checksum }));
  return { tables: sums, rows, was };
}

async function isEmpty(target: Target): Promise<boolean> {
  for (const { name } of COPIED_TABLES) if (!(await target.isEmpty(name))) return false;
  return true;
}

function total(source: Source): number {
  return COPIED_TABLES.reduce((sum, { name }) => sum + source.count(name), 0);
}

async function copy(source: Source, target: Target, progress: MoveProgress): Promise<void> {
  const ledger = (await target.ledger()) ?? new Map<string, CopyProgress>();
  const all = total(source);
  let done = 0;
  for (const { name, key, batch, change } of COPIED_TABLES) {
    const copied = ledger.get(name) ?? { last: [], rows: 0, done: false };
    progress('copy', name, done, all);
    done += copied.rows;
    if (copied.done) continue;
    const columns = source.columns(name);
    const limit = Math.min(batch, Math.floor(MAX_PARAMETERS / columns.length));
    let { last, rows: count } = copied;
    for (;;) {
      const rows = source.page(name, key, last, limit);
      last = keyOf(rows.at(-1), key) ?? last;
      const isLast = rows.length < limit;
      count += rows.length;
      done += rows.length;
      const copiedNow = { last, rows: count, done: isLast };
      await target.put(name, columns, rows.map(change), copiedNow);
      progress('copy', name, done, all);
      if (isLast) break;
    }
  }
}

type Checked = MovedTable & { differs: boolean };

async function check(source: Source, target: Target, progress: MoveProgress): Promise<Checked[]> {
  const all = total(source);
  let done = 0;
  const tables: Checked[] = [];
  for (const { name, key, targetKey, batch, change } of COPIED_TABLES) {
    const columns = source.columns(name);
    const [sourceSum, targetSum] = [new Checksum(), new Checksum()];
    await eachRow(
      key,
      batch,
      (after) => source.page(name, key, after, batch),
      (row) => {
        sourceSum.add(change(row), columns);
      },
    );
    await eachRow(
      targetKey,
      batch,
      (after) => target.page(name, targetKey, after, batch),
      (row) => {
        targetSum.add(row, columns);
      },
    );
    const differs =
      sourceSum.sum.rows !== targetSum.sum.rows ||
      sourceSum.sum.checksum !== targetSum.sum.checksum;
    tables.push({ table: name, ...sourceSum.sum, differs });
    done += sourceSum.sum.rows;
    progress('check', name, done, all);
  }
  return tables;
}

async function eachRow(
  key: readonly string[],
  batch: number,
  page: (after: readonly Value[]) => Row[] | Promise<Row[]>,
  use: (row: Row) => void,
): Promise<void> {
  for (let last: Value[] = []; ;) {
    const rows = await page(last);
    for (const row of rows) use(row);
    last = keyOf(rows.at(-1), key) ?? last;
    if (rows.length < batch) return;
  }
}

function keyOf(row: Row | undefined, key: readonly string[]): Value[] | undefined {
  return row && key.map((column) => row[column] ?? null);
}
