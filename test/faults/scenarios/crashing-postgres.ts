import assert from 'node:assert/strict';

import { startPostgres } from '../../support/store/postgres.ts';
import { until } from '../../support/until.ts';
import { type Kept, Load, type Progress } from './load.ts';
import { Nodes } from './nodes.ts';

/*
 * PostgreSQL crashes and restarts while nodes are under load. The nodes keep running and resume by themselves.
 */
export interface CrashOptions {
  nodes: number;
  crashes: number;
  /** Minimum number of messages accepted between two crashes. */
  messages: number;
  progress: Progress;
}

export interface CrashReport extends Kept {
  nodes: number;
  crashes: number;
  /** Time from PostgreSQL's recovery until the first message is accepted, and until the first one arrives. */
  longestUntilAccepted: number;
  longestUntilArrived: number;
  /** Error statuses that writers got, with counts. */
  refused: Record<string, number>;
}

export async function crashPostgres(options: CrashOptions): Promise<CrashReport> {
  const { nodes: count, crashes, messages, progress } = options;
  const postgres = await startPostgres({ max_connections: '300' });
  try {
    const database = await postgres.createDatabase();
    await using load = await Load.open('postgres', { database, pairs: count, scheduled: true });
    const nodes = await Nodes.start(load.cli, count);
    await load.prepare(nodes.newest);
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
      assert.equal(process.child.exitCode, null, 'every node kept running');
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
    const summary = JSON.stringify(report);
    assert.equal(kept.lost, 0, summary);
    const { scheduled, routed, pooled, addressed } = kept;
    assert.ok(Math.min(scheduled, routed, pooled, addressed) > 0, summary);
    assert.equal(kept.unlisted, 0, summary);
    assert.equal(kept.early, 0, summary);
    // No node ended, so each knows the results of its attempts and records them when the store is back.
    assert.equal(kept.duplicates, 0, summary);
    for (const status of load.refused.keys()) {
      assert.equal(status, 503, `refusals are retryable: ${summary}`);
    }
    return report;
  } finally {
    await postgres.dispose();
  }
}
