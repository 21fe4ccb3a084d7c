import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import type { Bench } from './harness/bench.ts';
import { startProcess } from './harness/processes.ts';

export interface Start {
  /** Time from process start until it listens, in milliseconds. */
  ready: number;
  /** Processor time of all its threads until then, in milliseconds; undefined if the platform does not report it. */
  cpu: number | undefined;
  /** Resident memory when idle; undefined if the platform does not report it. */
  megabytes: number | undefined;
}

const IDLE_AFTER_MS = 2_000;
/** Linux counts processor time in these units. */
const TICK_MS = 10;

/** Starts the service on its embedded store, as `npm start` does, and measures it once it is idle. */
export async function measureStart(
  database: string,
  environment: Record<string, string> = {},
): Promise<Start> {
  const began = performance.now();
  const running = await startProcess('bin/switchboard.js', ['serve', '--local'], {
    SWITCHBOARD_PORT: '0',
    SWITCHBOARD_DATABASE: database,
    ...environment,
  });
  const ready = performance.now() - began;
  const cpu = processorTime(running.pid);
  await pause(IDLE_AFTER_MS);
  const megabytes = residentMemory(running.pid);
  await running.stop();
  return { ready, cpu, megabytes };
}

/** Linux only. */
function processorTime(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  // The name of the program, in parentheses, may contain spaces.
  const [, fields = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user, system] = fields.split(' ').slice(11);
  return (Number(user) + Number(system)) * TICK_MS;
}

/** Linux only. */
function residentMemory(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6;
}

const ROUNDS = 3;

/**
 * The first start creates the store and fills the compile cache, so it does not count. Starts with and without the sandbox
 * alternate: its simulators should cost nothing while they are not used.
 */
export async function report(bench: Bench): Promise<void> {
  const { SWITCHBOARD_DATABASE: database } = bench.embedded();
  await measureStart(database);
  const starts = { on: [] as Start[], off: [] as Start[] };
  for (let i = 0; i < ROUNDS; i++) {
    for (const sandbox of ['on', 'off'] as const) {
      starts[sandbox].push(await measureStart(database, { SWITCHBOARD_SANDBOX: sandbox }));
    }
  }
  const rows = Object.entries(starts).map(([sandbox, of]) => [
    sandbox,
    `${median(of.map(({ ready }) => ready))} ms`,
    `${median(of.map(({ cpu = 0 }) => cpu))} ms`,
    `${median(of.map(({ megabytes = 0 }) => megabytes))} MB`,
  ]);
  bench.report(['sandbox', 'ready after', 'processor time', 'resident when idle'], rows);
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}
