import assert from 'node:assert/strict';

import { startPostgres } from '../../support/store/postgres.ts';
import { until } from '../../support/until.ts';
import { type Kept, Load, type Progress } from './load.ts';
import { Nodes } from './nodes.ts';
import { type Cut, openProxy } from './proxy.ts';

/*
 * Cuts the connections to PostgreSQL during statements: alternately in the middle of the request, and in place of the
 * response, when the statement has already taken effect.
 */
export interface CutOptions {
  nodes: number;
  /** How often all open connections are cut. */
  rounds: number;
  /** Minimum number of messages accepted between two rounds. */
  messages: number;
  progress: Progress;
}

export interface CutReport extends Kept {
  nodes: number;
  rounds: number;
  /** The number of connections cut. */
  cut: number;
  longestUntilAccepted: number;
  refused: Record<string, number>;
}

const HOW: readonly Cut[] = ['question', 'answer'];

export async function cutConnections(options: CutOptions): Promise<CutReport> {
  const { nodes: count, rounds, messages, progress } = options;
  const postgres = await startPostgres({ max_connections: '300' });
  try {
    const direct = new URL(await postgres.createDatabase());
    await using proxy = await openProxy(Number(direct.port));
    direct.port = String(proxy.port);
    await using load = await Load.open('postgres', { database: direct.href, pairs: count });
    const nodes = await Nodes.start(load.cli, count);
    await load.prepare(nodes.newest);
    let isEnough = false;
    const writing = load.write(nodes.url, () => isEnough);
    const waits = [0];
    for (let round = 1; round <= rounds; round++) {
      const before = load.accepted.size;
      await until('load', () => load.accepted.size >= before + messages, 120_000);
      const cuts = proxy.count;
      proxy.cutAll(HOW[round % HOW.length] ?? 'answer');
      await until('connections are cut', () => proxy.count > cuts);
      const since = performance.now();
      const accepted = load.accepted.size;
      await until('a message is accepted', () => load.accepted.size > accepted, 60_000);
      waits.push(performance.now() - since);
      progress(`${round}/${rounds} rounds, ${proxy.count} cut, ${load.accepted.size} accepted`);
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
      rounds,
      cut: proxy.count,
      ...kept,
      longestUntilAccepted: Math.round(Math.max(...waits)),
      refused: Object.fromEntries(load.refused),
    };
    const summary = JSON.stringify(report);
    assert.equal(kept.lost, 0, summary);
    assert.equal(kept.duplicates, 0, summary);
    for (const status of load.refused.keys()) assert.equal(status, 503, summary);
    return report;
  } finally {
    await postgres.dispose();
  }
}
