import assert from 'node:assert/strict';

import { startPostgres } from '../../support/store/postgres.ts';
import { until } from '../../support/until.ts';
import { type Kept, Load, type Progress } from './load.ts';
import { Nodes } from './nodes.ts';
import { openProxy } from './proxy.ts';

/*
 * While nodes are under load, PostgreSQL is lost for good and its standby is promoted behind the same address, as with a
 * virtual IP or a pooler. The standby is synchronous, so it has every commit.
 */
export interface PromotionOptions {
  nodes: number;
  /** Minimum number of messages accepted before the promotion, and after it. */
  messages: number;
  progress: Progress;
}

export interface PromotionReport extends Kept {
  nodes: number;
  /** Time from the promotion until the first message is accepted, and until the first one arrives. */
  untilAccepted: number;
  untilArrived: number;
  refused: Record<string, number>;
}

export async function promoteStandby(options: PromotionOptions): Promise<PromotionReport> {
  const { nodes: count, messages, progress } = options;
  const postgres = await startPostgres({ max_connections: '100' });
  let standby: Awaited<ReturnType<typeof postgres.openStandby>> | undefined;
  try {
    const database = new URL(await postgres.createDatabase());
    standby = await postgres.openStandby();
    await using proxy = await openProxy(Number(database.port));
    database.port = String(proxy.port);
    await using load = await Load.open('postgres', { database: database.href, pairs: count });
    const nodes = await Nodes.start(load.cli, count);
    await load.prepare(nodes.newest);
    let isEnough = false;
    const writing = load.write(nodes.url, () => isEnough);
    await until('load', () => load.accepted.size >= messages, 120_000);
    progress(`${load.accepted.size} accepted`);

    await postgres.stop('immediate');
    const [accepted, arrived] = [load.accepted.size, load.arrived.size];
    await standby.promote();
    const since = performance.now();
    proxy.leadTo(standby.port);
    await until('a message is accepted', () => load.accepted.size > accepted, 60_000);
    const untilAccepted = Math.round(performance.now() - since);
    await until('a message arrives', () => load.arrived.size > arrived, 60_000);
    const untilArrived = Math.round(performance.now() - since);
    await until('load', () => load.accepted.size >= accepted + messages, 120_000);
    progress(`promoted, ${load.accepted.size} accepted`);

    isEnough = true;
    await writing;
    await load.settled(nodes.url);
    const kept = await load.judge(nodes.url());
    for (const { process } of nodes.running) {
      assert.equal(process.child.exitCode, null, 'every node kept running');
    }
    await nodes.stop();
    const refused = Object.fromEntries(load.refused);
    const report = { nodes: count, ...kept, untilAccepted, untilArrived, refused };
    const summary = JSON.stringify(report);
    assert.equal(kept.lost, 0, summary);
    assert.equal(kept.duplicates, 0, summary);
    for (const status of load.refused.keys()) assert.equal(status, 503, summary);
    return report;
  } finally {
    await standby?.stop();
    await postgres.dispose();
  }
}
