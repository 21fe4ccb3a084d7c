import { rmSync } from 'node:fs';

import { type Bench, figure, middle, ratio } from './harness/bench.ts';
import { fill, sizeOf } from './harness/filling.ts';
import { keep } from './harness/measured.ts';
import { connected, costsWhile } from './harness/postmaster.ts';
import { type Sample, takeSample } from './harness/sample.ts';
import { StoreWork, recipientsOf } from './harness/store-work.ts';

/*
 * The cost of accepting and delivering a message by the number of stored messages. Measured at the store, in groups as at
 * a moderate load, so that nothing else hides how the store scales.
 */

const MIN_STORED = 1_000;
const MAX_STORED = 1_000_000;
/** With --full: takes about 15 GB of disk and ten times as long. */
const MAX_STORED_FULL = 10_000_000;
const GROUPS = 60;
const GROUP = 10;

interface Costs {
  /** Milliseconds per message. */
  accept: number;
  deliver: number;
  /** Bytes of write-ahead log per message; PostgreSQL only. */
  wal: number | undefined;
}

export async function report(bench: Bench): Promise<void> {
  const { most, full, save } = bench.options;
  const last = most ?? (full ? MAX_STORED_FULL : MAX_STORED);
  for (const { name, isEmbedded, open } of bench.stores) {
    const { SWITCHBOARD_DATABASE: database, ...others } = await open();
    const environment = { SWITCHBOARD_DATABASE: database, ...others };
    const sample = await takeSample(environment);
    const rows: string[][] = [];
    let first: Costs | undefined;
    for (let stored = MIN_STORED; stored <= last; stored *= 10) {
      bench.progress(`growth: ${name}, ${stored.toLocaleString('en')} stored`);
      await fill(database, sample, stored);
      const costs = await measureAt(environment, sample, stored);
      first ??= costs;
      rows.push([
        stored.toLocaleString('en'),
        ...timesOf(costs.accept, first.accept),
        ...timesOf(costs.deliver, first.deliver),
        costs.wal === undefined ? '' : figure(costs.wal / 1000),
        figure((await sizeOf(database)) / 1e6),
      ]);
      if (save && costs.wal !== undefined) keep('growth', { wal: costs.wal, stored });
    }
    bench.report(
      [
        `stored, ${name}`,
        'accept, ms',
        'ratio',
        'deliver, ms',
        'ratio',
        'log, kB per message',
        'disk, MB',
      ],
      rows,
    );
    if (isEmbedded) for (const end of ['', '-wal']) rmSync(database + end, { force: true });
  }
}

const timesOf = (value: number, first: number) => [value.toFixed(3), ratio(value, first)];

async function measureAt(
  environment: { SWITCHBOARD_DATABASE: string },
  sample: Sample,
  stored: number,
): Promise<Costs> {
  const { SWITCHBOARD_DATABASE: url } = environment;
  const work = await StoreWork.open(environment, sample);
  try {
    const measure = () => acceptAndDeliver(work, stored);
    // Warms up caches and compiled code.
    await measure();
    if (!url.startsWith('postgres')) return { ...(await measure()), wal: undefined };
    // After a checkpoint, the first change of each page logs the whole page, which is the worst case.
    await connected(url, (client) => client.query('checkpoint'));
    const { result, costs } = await costsWhile(url, measure);
    return { ...result, wal: costs.wal / (GROUPS * GROUP) };
  } finally {
    await work.close();
  }
}

async function acceptAndDeliver(
  work: StoreWork,
  stored: number,
): Promise<Pick<Costs, 'accept' | 'deliver'>> {
  const accepts: number[] = [];
  const dispatcher: number[] = [];
  for (let i = 0; i < GROUPS; i++) {
    seed += GROUP;
    accepts.push(await work.accept(recipientsOf(GROUP, stored / 10, seed)));
  }
  for (;;) {
    const { claimed, milliseconds } = await work.dispatch(GROUP);
    if (claimed === 0) break;
    dispatcher.push(milliseconds);
  }
  return { accept: middle(accepts) / GROUP, deliver: middle(dispatcher) / GROUP };
}

/** Advances so that each round uses other recipients. */
let seed = 1;
