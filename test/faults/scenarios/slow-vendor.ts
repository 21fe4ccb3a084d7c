import assert from 'node:assert/strict';

import type { EngineName } from '../../../src/store/schema.ts';
import type { Reply } from '../../emulators/server/http.ts';
import { until } from '../../support/until.ts';
import { type Kept, Load, type Progress } from './load.ts';
import { Nodes } from './nodes.ts';

/*
 * A vendor that answers 429 to everything for a while, or accepts requests without answering. The service keeps accepting
 * messages and does not flood the vendor; once the vendor recovers, everything arrives.
 */
export interface VendorOptions {
  engine: EngineName;
  trouble: 'storm' | 'hang';
  /** Duration of the fault. */
  seconds: number;
  progress: Progress;
}

export interface VendorReport extends Kept {
  trouble: 'storm' | 'hang';
  seconds: number;
  /** Requests that the vendor got during the fault. */
  requestCount: number;
  /** Messages accepted during the fault. */
  acceptedMeanwhile: number;
}

const LIMITED: Reply = { status: 429, headers: { 'retry-after': '1' }, body: { ok: false } };
/** Maximum messages in flight of one integration. */
const CONCURRENCY = 8;
const WRITERS = 2;

export async function troubleVendor(options: VendorOptions): Promise<VendorReport> {
  const { engine, trouble, seconds, progress } = options;
  let isTroubled = false;
  let requestCount = 0;
  const mended = Promise.withResolvers<void>();
  await using load = await Load.open(engine, {
    async answer(_, take) {
      if (!isTroubled) return take();
      requestCount++;
      if (trouble === 'storm') return LIMITED;
      // The vendor did not process the request, but the sender cannot know that.
      await mended.promise;
      return { status: 500 };
    },
  });
  const nodes = await Nodes.start(load.cli, 1);
  await load.prepare(nodes.newest);
  let isEnough = false;
  const writing = load.write(nodes.url, () => isEnough, WRITERS);
  await until('load', () => load.arrived.size >= 50, 60_000);
  isTroubled = true;
  const before = load.accepted.size;
  const end = performance.now() + seconds * 1000;
  await until('the end of the fault', () => performance.now() >= end, seconds * 2000);
  const acceptedMeanwhile = load.accepted.size - before;
  progress(`${trouble} for ${seconds} s, ${load.accepted.size} accepted`);
  isEnough = true;
  isTroubled = false;
  mended.resolve();
  await writing;
  await load.settled(nodes.url);
  const kept = await load.judge(nodes.url());
  await nodes.stop();
  const report = { trouble, seconds, requestCount, acceptedMeanwhile, ...kept };
  const summary = JSON.stringify(report);
  assert.ok(acceptedMeanwhile > 0, summary);
  assert.deepEqual([kept.lost, kept.duplicates], [0, 0], summary);
  // Each integration may have this many in flight when the fault starts, and then a few per second.
  const maxRequests = load.applications.length * CONCURRENCY * (seconds + 2);
  assert.ok(requestCount <= maxRequests, summary);
  return report;
}
