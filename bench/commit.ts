import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { deliveryTarget } from './deliver.ts';
import { type Bench, middle } from './harness/bench.ts';
import { atEnd, endedAfter } from './harness/cleanup.ts';
import { cpuSeconds } from './harness/cpu.ts';
import { postmasterOf } from './harness/postmaster.ts';
import { ROOT } from './harness/processes.ts';

/*
 * The CPU time to accept and deliver a plain message, of two commits (`--commits A..B`) or of a commit and this source tree
 * (`--commits A`). Both services run, and get load in
 * short turns, so that a slow moment of the machine does not count for one of them only. CPU time is compared, not the
 * rate, which depends on the load generator and the receiver too.
 */

const ROUNDS = 15;
const SECONDS = 3;
const CONNECTIONS = 100;
/** Turns until the code is compiled. They do not count. */
const WARM_UP = 3;
/** Until the statistics and the log of the last turn are written. */
const SETTLED_AFTER_MS = 1_200;

interface Side {
  name: string;
  /** Microseconds of CPU time per message. */
  turn(): Promise<number>;
}

export async function report(bench: Bench): Promise<void> {
  const { commits, rounds = ROUNDS } = bench.options;
  if (commits === undefined) throw new Error('commit needs --commits A or --commits A..B');
  const [before = '', after] = commits.split('..');
  const roots = { before: checkout(bench, before), after: after ? checkout(bench, after) : ROOT };
  const rows: string[][] = [];
  for (const store of bench.stores) {
    rows.push(
      await endedAfter(async () => {
        const sides = [
          await sideOf(bench, 'before', await store.open(), roots.before),
          await sideOf(bench, 'after', await store.open(), roots.after),
        ] as const;
        return [store.name, ...(await compare(bench, sides, rounds, store.name))];
      }),
    );
  }
  const columns = [`${before}, µs`, `${after ?? 'this tree'}, µs`, 'ratio', 'quartiles'];
  bench.report(['', ...columns], rows);
}

/** The source tree of a commit, with the packages of this one. */
function checkout(bench: Bench, commit: string): string {
  const path = bench.path('commit');
  const git = (...args: string[]) => execFileSync('git', ['-C', ROOT, ...args], { stdio: 'pipe' });
  git('worktree', 'add', '--detach', path, commit);
  atEnd(() => void git('worktree', 'remove', '--force', path));
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'));
  return `${path}/`;
}

async function sideOf(
  bench: Bench,
  name: string,
  environment: { SWITCHBOARD_DATABASE: string },
  root: string,
): Promise<Side> {
  const { seconds = SECONDS, connections = CONNECTIONS } = bench.options;
  const target = await deliveryTarget(name, environment, root);
  const { pid } = target.service.running;
  const url = environment.SWITCHBOARD_DATABASE;
  const server = url.startsWith('postgres') ? await postmasterOf(url) : undefined;
  const used = () => cpuSeconds(pid) + (server === undefined ? 0 : cpuSeconds(server));
  return {
    name,
    async turn() {
      const before = used();
      const { messages } = await target.measure(connections, seconds);
      await pause(SETTLED_AFTER_MS);
      return ((used() - before) / messages) * 1e6;
    },
  };
}

/** Turns alternate strictly: a service that was idle for a turn is a few percent slower at first. */
async function compare(
  bench: Bench,
  [old, current]: readonly [Side, Side],
  rounds: number,
  store: string,
): Promise<string[]> {
  const found: { old: number; current: number }[] = [];
  for (let round = 1 - WARM_UP; round <= rounds; round++) {
    const pair = { old: await old.turn(), current: await current.turn() };
    if (round < 1) continue;
    found.push(pair);
    const both = `${pair.old.toFixed(0)} and ${pair.current.toFixed(0)} µs`;
    bench.progress(`round ${round}/${rounds}  ${store}: ${both}`);
  }
  const ratios = found.map((pair) => pair.current / pair.old).toSorted((a, b) => a - b);
  const quartile = (part: number) => ratios[Math.floor((ratios.length - 1) * part)] ?? Number.NaN;
  return [
    middle(found.map((pair) => pair.old)).toFixed(0),
    middle(found.map((pair) => pair.current)).toFixed(0),
    middle(ratios).toFixed(3),
    `${quartile(0.25).toFixed(3)}–${quartile(0.75).toFixed(3)}`,
  ];
}
