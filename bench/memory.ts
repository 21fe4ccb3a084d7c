import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

import { queueMany } from './backlog.ts';
import { type Bench, figure } from './harness/bench.ts';
import { sizeOf } from './harness/filling.ts';
import { keep } from './harness/measured.ts';
import { connected } from './harness/postmaster.ts';
import { startNode } from './harness/processes.ts';
import { takeSample } from './harness/sample.ts';
import { StoreWork, recipientsOf } from './harness/store-work.ts';

/* The memory of a queued message, and the disk space of a stored one. */

const QUEUED = [0, 100_000, 1_000_000];
const DELIVERED = 50_000;
const GROUP = 500;
/** Updates of a message row until it is sent; each leaves a dead row version. */
const UPDATES_PER_MESSAGE = 2;
/** Autovacuum's default thresholds. The benchmark vacuums itself at these, because autovacuum wakes too rarely. */
const VACUUM_THRESHOLD = 50;
const VACUUM_SCALE_FACTOR = 0.2;
/** The time until a started service is idle. */
const SETTLE_MS = 10_000;

export async function report(bench: Bench): Promise<void> {
  await reportQueued(bench);
  await reportKept(bench);
}

async function reportQueued(bench: Bench): Promise<void> {
  const { most = Infinity } = bench.options;
  const rows: string[][] = [];
  let [noMemory, noDisk] = [0, 0];
  for (const queued of QUEUED.filter((count) => count <= most)) {
    bench.progress(`memory: ${queued.toLocaleString('en')} queued`);
    const environment = bench.embedded();
    const work = await StoreWork.open(environment, await takeSample(environment));
    await queueMany(work, queued);
    await work.close();
    const disk = await sizeOf(environment.SWITCHBOARD_DATABASE);
    const memory = await residentWith(environment);
    if (queued === 0) [noMemory, noDisk] = [memory, disk];
    const each = (bytes: number) => (queued === 0 ? '' : figure(bytes / queued));
    rows.push([
      queued.toLocaleString('en'),
      figure(memory / 1e6),
      each(memory - noMemory),
      figure(disk / 1e6),
      each(disk - noDisk),
    ]);
  }
  bench.report(
    ['queued, embedded store', 'resident, MB', 'bytes each', 'disk, MB', 'bytes each'],
    rows,
  );
}

/** Resident memory of a service with these queued messages, none of which can be delivered. */
async function residentWith(environment: Record<string, string>): Promise<number> {
  const running = await startNode(environment);
  await pause(SETTLE_MS);
  const status = readFileSync(`/proc/${running.pid}/status`, 'utf8');
  await running.stop();
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

/** Bytes per row of a table, and of its index entries. */
interface Kept {
  row: number;
  indexes: number;
}

const TABLES = ['outbox', 'attempts', 'events'] as const;
type Table = (typeof TABLES)[number];

async function reportKept(bench: Bench): Promise<void> {
  const count = Math.min(DELIVERED, bench.options.most ?? DELIVERED);
  const rows: string[][] = [];
  for (const { name, isEmbedded, open } of bench.stores) {
    bench.progress(`memory: ${count.toLocaleString('en')} sent, ${name}`);
    const environment = await open();
    const work = await StoreWork.open(environment, await takeSample(environment));
    const database = environment.SWITCHBOARD_DATABASE;
    let dead = 0;
    // Alternates accepting and delivering, as a service without a backlog does.
    for (let sent = GROUP; sent <= count; sent += GROUP) {
      await work.accept(recipientsOf(GROUP, count, sent));
      await work.drain(GROUP);
      dead += GROUP * UPDATES_PER_MESSAGE;
      if (isEmbedded || dead < VACUUM_THRESHOLD + VACUUM_SCALE_FACTOR * sent) continue;
      await connected(database, (client) => client.query('vacuum'));
      dead = 0;
    }
    await work.close();
    const kept = isEmbedded ? keptInFile(database) : await keptInServer(database);
    const total = (table: Table) => kept[table].row + kept[table].indexes;
    const all = TABLES.reduce((sum, table) => sum + total(table), 0);
    rows.push([name, ...TABLES.flatMap((table) => cellsOf(kept[table])), figure(all)]);
    if (bench.options.save && !isEmbedded) {
      const [message, attempt, event] = [total('outbox'), total('attempts'), total('events')];
      keep('memory', { message, attempt, event });
    }
  }
  bench.report(
    [
      'bytes of disk',
      'a message',
      'its indexes',
      'an attempt',
      'its indexes',
      'an event',
      'its indexes',
      'total',
    ],
    rows,
  );
}

const cellsOf = ({ row, indexes }: Kept) => [figure(row), figure(indexes)];

function keptInFile(path: string): Record<Table, Kept> {
  using db = new DatabaseSync(path, { readOnly: true });
  const size = db.prepare(`
    select coalesce(sum(pgsize), 0) as size from dbstat join sqlite_schema using (name)
    where tbl_name = ? and type = ? and aggregate = true`);
  const kept = (table: Table): Kept => {
    const rows = Number(db.prepare(`select count(*) as count from ${table}`).get()?.['count']);
    const each = (type: string) => Number(size.get(table, type)?.['size']) / rows;
    return { row: each('table'), indexes: each('index') };
  };
  return { outbox: kept('outbox'), attempts: kept('attempts'), events: kept('events') };
}

function keptInServer(url: string): Promise<Record<Table, Kept>> {
  return connected(url, async (client) => {
    const kept = async (table: Table): Promise<Kept> => {
      const { rows } = await client.query<{ row: number; indexes: number }>(
        `select pieces.tables::float8 / count(*) as row, pieces.indexes::float8 / count(*) as indexes
         from ${table}, (select sum(pg_table_size(relid)) as tables, sum(pg_indexes_size(relid)) as indexes
           from pg_partition_tree($1)) as pieces group by pieces.tables, pieces.indexes`,
        [table],
      );
      return rows[0] ?? { row: 0, indexes: 0 };
    };
    return {
      outbox: await kept('outbox'),
      attempts: await kept('attempts'),
      events: await kept('events'),
    };
  });
}
