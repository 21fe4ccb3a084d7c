import { type Bench, figure } from './harness/bench.ts';
import { ASSUMED, type Assumptions, BOTTLENECKS, mostPerDay, needsOf } from './harness/capacity.ts';
import { readMeasured } from './harness/measured.ts';

/* The capacity model: what 10, 100 and 1,000 million messages a day need, computed from results saved with `--save`. */

const VOLUMES = [10e6, 100e6, 1_000e6];

/** Changes to the assumptions, each in addition to those before it. */
const CHANGES: readonly [string, Partial<Assumptions>][] = [
  ['as assumed', {}],
  [
    'large senders spread over more integrations and applications: 0.05 % and 0.5 % at most',
    { largestIntegration: 0.0005, largestApplication: 0.005 },
  ],
  ['kept for 7 days', { retention: 7 }],
  ['pages in the log compressed to 0.4 (`wal_compression`)', { walShare: 0.4 }],
  ['at most one event per message', { events: 1 }],
  ['teams spread over 4 servers', { shards: 4 }],
  ['teams spread over 16 servers', { shards: 16 }],
];

export async function report(bench: Bench): Promise<void> {
  const measured = readMeasured();
  const millions = (perDay: number) => figure(perDay / 1e6);
  bench.report(
    [
      'million a day',
      'at the peak/s',
      'nodes',
      'PostgreSQL cores',
      'log, MB/s',
      'log, GB a day',
      'flushes/s',
      'disk, TB',
      'exhausted first',
      'utilisation',
    ],
    VOLUMES.map((perDay) => {
      const needs = needsOf(perDay, measured, ASSUMED);
      return [
        millions(perDay),
        figure(needs.rate),
        String(needs.nodes),
        figure(needs.cores),
        figure(needs.wal / 1e6),
        figure(needs.walDay / 1e9),
        figure(needs.flushes),
        figure(needs.disk / 1e12),
        needs.first,
        `${figure(needs.used[needs.first] * 100)} %`,
      ];
    }),
  );
  const { used } = needsOf(1e6, measured, ASSUMED);
  bench.report(
    ['resource', 'exhausted at million a day'],
    BOTTLENECKS.map((one) => [one, millions(1e6 / used[one])]),
  );
  const assumed = { ...ASSUMED };
  const rows: string[][] = [];
  for (const [name, change] of CHANGES) {
    Object.assign(assumed, change);
    const { first } = needsOf(1e6, measured, assumed);
    rows.push([name, millions(mostPerDay(measured, assumed)), first]);
  }
  bench.report(
    ['change, in addition to those above', 'million a day that fit', 'exhausted next'],
    rows,
  );
}
