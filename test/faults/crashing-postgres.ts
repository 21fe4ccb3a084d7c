import assert from 'node:assert/strict';

import { startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { type Kept, Load, type Progress } from './load.ts';
import { Nodes } from './nodes.ts';

/*
 * PostgreSQL is stopped as a crash would stop it, and started again, while nodes are under load. They go on
 * running, and go on by themselves when it is back.
 */
export interface CrashOptions {
  nodes: number;
  crashes: number;
  /** How many messages are accepted between two crashes, at the least. */
  messages: number;
  progress: Progress;
}

export interface CrashReport extends Kept {
  nodes: number;
  crashes: number;
  /** How long after PostgreSQL answers again the first message is accepted, and the first one arrives. */
  longestUntilAccepted: number;
  longestUntilArrived: number;
  /** What writers were answered meanwhile. */
  refused: Record<string, number>;
}

export async function crashPostgres(options: CrashOptions): Promise<CrashReport> {
  const { nodes: count, crashes, messages, progress } = options;
  const postgres = await startPostgres({ max_connections: '300' });
  try {
    const database = await postgres.createDatabase();
    await using load = await Load.open('postgres', { database, pairs: count });
    const nodes = await Nodes.start(load.cli, count);
    await load.prepare(nodes.url());
    let isEnough = false;
    const writing = load.write(nodes.url, () => isEnough);
    const waits = { accepted: [0], arrived: [0] };
    for (let crash = 1; crash <= crashes; crash++) {
      const before = load.accepted.size;
      await until('load', () => load.accepted.size >= before + messages, 120_000);
      await postgres.stop('immediate');
      const [accepted, arrived] = [load.accepted.size, load.arrived.size];
      await postgres.start();
      const since = performance.now();
      await until('a message is accepted', () => load.accepted.size > accepted, 60_000);
      waits.accepted.push(performance.now() - since);
      await until('a message arrives', () => load.arrived.size > arrived, 60_000);
      waits.arrived.push(performance.now() - since);
      progress(`${crash}/${crashes} crashes, ${load.accepted.size} accepted`);
    }
    isEnough = true;
    await writing;
    await load.settled(nodes.url);
    const kept = await load.judge(nodes.url());
    for (const { process } of nodes.running) {
      assert.equal(process.child.exitCode, null, 'every node went on running');
    }
    await nodes.stop();
    const report = {
      nodes: count,
      crashes,
      ...kept,
      longestUntilAccepted: Math.round(Math.max(...waits.accepted)),
      longestUntilArrived: Math.round(Math.max(...waits.arrived)),
      refused: Object.fromEntries(load.refused),
    };
    const said = JSON.stringify(report);
    assert.equal(kept.lost, 0, said);
    // Nobody ended: each answer is known, and is recorded when there is a store again.
    assert.equal(kept.duplicates, 0, said);
    for (const status of load.refused.keys()) {
      assert.equal(status, 503, `refusals say that it is to be tried again: ${said}`);
    }
    return report;
  } finally {
    await postgres.dispose();
  }
}
