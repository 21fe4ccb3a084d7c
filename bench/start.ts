import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import type { Bench } from './harness/bench.ts';
import { startProcess } from './harness/processes.ts';

export interface Start {
  /** Time from process start until it listens, in milliseconds. */
  ready: number;
  /** Resident memory when idle; undefined if the platform does not report it. */
  megabytes: number | undefined;
}

const IDLE_AFTER_MS = 2_000;

/** Starts the service on its embedded store, as `npm start` does, and measures it once it is idle. */
export async function measureStart(database: string): Promise<Start> {
  const began = performance.now();
  const running = await startProcess('bin/switchboard.js', ['serve', '--local'], {
    SWITCHBOARD_PORT: '0',
    SWITCHBOARD_DATABASE: database,
  });
  const ready = performance.now() - began;
  await pause(IDLE_AFTER_MS);
  const megabytes = residentMemory(running.pid);
  await running.stop();
  return { ready, megabytes };
}

/** Linux only. */
function residentMemory(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6;
}

/** The first start creates the store and fills the compile cache, so it does not count. */
export async function report(bench: Bench): Promise<void> {
  const { SWITCHBOARD_DATABASE: database } = bench.embedded();
  await measureStart(database);
  const starts = [];
  for (let i = 0; i < 3; i++) starts.push(await measureStart(database));
  const [, middle] = starts.toSorted((a, b) => a.ready - b.ready);
  bench.report(
    ['ready after', 'resident when idle'],
    [[`${Math.round(middle?.ready ?? 0)} ms`, `${Math.round(middle?.megabytes ?? 0)} MB`]],
  );
}
