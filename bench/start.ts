import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';

import type { Bench } from './harness/bench.ts';
import { ROOT, startProgram } from './harness/processes.ts';

export interface Start {
  /** Time from process start until it listens, in milliseconds. */
  ready: number;
  /** Processor time of all its threads until then, in milliseconds; undefined if the platform does not report it. */
  cpu: number | undefined;
  /** Resident memory when idle; undefined if the platform does not report it. */
  megabytes: number | undefined;
}

/** The program to start, with its first arguments. */
type Subject = readonly [program: string, ...args: string[]];

const LAUNCHER = join(ROOT, 'bin', 'switchboard.js');

/** After the start, both threads free what they needed for it. */
const IDLE_AFTER_MS = 5_000;
/** Linux counts processor time in these units. */
const TICK_MS = 10;

/** Starts the service on its embedded store, as `npm start` does, and measures it once it is idle. */
export async function measureStart(
  database: string,
  environment: Record<string, string> = {},
  [program, ...args]: Subject = [process.execPath, LAUNCHER],
): Promise<Start> {
  const began = performance.now();
  const running = await startProgram(program, [...args, 'serve', '--local'], {
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
 * alternate, since its simulators should cost nothing while they are not used, and with the executable on Linux.
 */
export async function report(bench: Bench): Promise<void> {
  const checkout = [await copyInPieces(bench, process.execPath), LAUNCHER] as const;
  const subjects: { name: string; subject: Subject; sandbox: string; starts: Start[] }[] = [
    { name: 'npm start', subject: checkout, sandbox: 'on', starts: [] },
    { name: 'npm start', subject: checkout, sandbox: 'off', starts: [] },
  ];
  if (process.platform === 'linux') {
    const executable = await copyInPieces(bench, buildExecutable(bench));
    subjects.push({ name: 'executable', subject: [executable], sandbox: 'on', starts: [] });
  }
  const { SWITCHBOARD_DATABASE: database } = bench.embedded();
  for (const { subject } of subjects) await measureStart(database, {}, subject);
  for (let i = 0; i < ROUNDS; i++) {
    for (const { subject, sandbox, starts } of subjects) {
      starts.push(await measureStart(database, { SWITCHBOARD_SANDBOX: sandbox }, subject));
    }
  }
  const rows = subjects.map(({ name, sandbox, starts }) => [
    name,
    sandbox,
    `${median(starts.map(({ ready }) => ready))} ms`,
    `${median(starts.map(({ cpu = 0 }) => cpu))} ms`,
    `${median(starts.map(({ megabytes = 0 }) => megabytes))} MB`,
  ]);
  bench.report(['', 'sandbox', 'ready after', 'processor time', 'resident when idle'], rows);
}

/** Builds the executable and returns its path. */
function buildExecutable(bench: Bench): string {
  const out = bench.path('executable');
  const script = join(ROOT, 'scripts', 'binary', 'build.ts');
  execFileSync(process.execPath, [script, '--arch', process.arch, '--out', out], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return join(out, `switchboard-linux-${process.arch}`);
}

/**
 * A copy of a program, written in small pieces. Linux 6.18 caches a file that is written in large pieces in large units, and
 * maps a whole unit when a byte of it is read, which adds up to 20 MB to the process. Once the machine restarts, the cached
 * units are small.
 */
async function copyInPieces(bench: Bench, program: string): Promise<string> {
  const copy = bench.path('program');
  await pipeline(createReadStream(program), createWriteStream(copy, { mode: 0o755 }));
  return copy;
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}
