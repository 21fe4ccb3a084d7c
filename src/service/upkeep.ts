import { ErasureWorker } from '../accept/contacts/erasure-worker.ts';
import type { Receipts } from '../accept/receipts.ts';
import { Gauges } from '../deliver/gauges.ts';
import { QueueDepth } from '../deliver/queue-depth.ts';
import { Sweeper } from '../deliver/sweeper.ts';
import type { Id } from '../model/id.ts';
import type { Core } from './core.ts';
import { DAY_MS, HOUR_MS } from './durations.ts';
import type { Part } from './lifecycle.ts';

/** Background work that no request waits for. */
export function buildUpkeep(
  { config, store, clock, log, metrics, stats }: Core,
  receipts: Receipts,
  wake: (integrationId: Id) => void,
  feedChanged: (applicationId: Id) => void,
): Part[] {
  const sweeper = new Sweeper({
    store,
    clock,
    log,
    stats,
    wake,
    receipts,
    erasures: new ErasureWorker(store, feedChanged),
    retention: config.retentionDays * DAY_MS,
    auditRetention: config.auditDays * DAY_MS,
    statisticsRetention: config.statisticsDays * DAY_MS,
    sessionIdle: config.sessionIdleHours * HOUR_MS,
  });
  const depth = new QueueDepth(store, clock, log, (depths) => metrics.queued(depths));
  const gauges = new Gauges(store, clock, log, (totals) => metrics.recordTotals(totals));
  return [stats, gauges, depth, sweeper];
}
