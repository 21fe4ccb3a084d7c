import assert from 'node:assert/strict';

import type { EngineName } from '../../../src/store/schema.ts';
import { until } from '../../support/until.ts';
import { type Kept, Load, type Progress } from './load.ts';
import { Nodes } from './nodes.ts';

/*
 * Stops a service under load repeatedly while Slack answers slowly. It must exit in time and with 0, and no message may be
 * lost or sent twice.
 */
export interface StopOptions {
  engine: EngineName;
  stops: number;
  /** Minimum number of messages accepted between two stops. */
  messages: number;
  progress: Progress;
}

export interface StopReport extends Kept {
  stops: number;
  /** The longest stop, in milliseconds. */
  longest: number;
}

/** Shorter than the usual 30 seconds after which orchestrators kill a process. */
const MAX_STOP_MS = 25_000;
const MAX_LATENCY_MS = 300;

export async function stopAgainAndAgain(options: StopOptions): Promise<StopReport> {
  const { engine, stops, messages, progress } = options;
  await using load = await Load.open(engine, {
    async answer(_, take) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_LATENCY_MS));
      return take();
    },
  });
  const nodes = await Nodes.start(load.cli, 1);
  await load.prepare(nodes.newest);
  let isEnough = false;
  const writing = load.write(nodes.url, () => isEnough);
  let longest = 0;
  for (let stop = 1; stop <= stops; stop++) {
    const [before, seen] = [load.accepted.size, load.slack.seen.length];
    const isAtWork = () =>
      load.accepted.size >= before + messages && load.slack.seen.length > seen + messages / 10;
    await until('load', isAtWork, 120_000);
    const since = performance.now();
    const { code, stderr } = await nodes.takeOut().stop();
    const took = Math.round(performance.now() - since);
    assert.equal(code, 0, stderr);
    assert.ok(took < MAX_STOP_MS, `a stop took ${took} ms`);
    longest = Math.max(longest, took);
    progress(`${stop}/${stops} stops, ${load.accepted.size} accepted`);
    await nodes.add();
  }
  isEnough = true;
  await writing;
  await load.settled(nodes.url);
  const kept = await load.judge(nodes.url());
  await nodes.stop();
  const report = { stops, longest, ...kept };
  const summary = JSON.stringify(report);
  assert.deepEqual([kept.lost, kept.duplicates, kept.uncertain], [0, 0, 0], summary);
  return report;
}
