import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { cpuSeconds } from '../cpu.ts';
import { type Running, startNode } from '../processes.ts';

/** Until what a start took is given back, and how long the idle service is watched. */
const SETTLES_MS = 5_000;
const WATCHED_MS = 20_000;
const PATIENCE_MS = 120_000;

export interface Idle {
  /** From the start of the process until it is ready, in milliseconds. */
  readyMs: number;
  /** From then until it owns all integrations. */
  ownsAllMs: number;
  /** Share of one core. */
  cpu: number;
  bytes: number;
}

/** Starts the service and watches it doing nothing. */
export async function measureIdle(
  environment: Record<string, string>,
  integrations: number,
): Promise<Idle> {
  const began = performance.now();
  const service = await startNode(environment);
  while (!(await fetch(`${service.url}/readyz`)).ok) await pause(5);
  const readyMs = performance.now() - began;
  const ownsAllMs = await ownsAll(service, integrations);
  await pause(SETTLES_MS);
  const before = cpuSeconds(service.pid);
  await pause(WATCHED_MS);
  const cpu = (cpuSeconds(service.pid) - before) / (WATCHED_MS / 1000);
  const bytes = residentBytes(service.pid);
  await service.stop();
  return { readyMs, ownsAllMs, cpu, bytes };
}

/** Kills a node that owns everything; how long until another one does, in milliseconds. */
export async function measureTakeover(
  environment: Record<string, string>,
  integrations: number,
): Promise<number> {
  const first = await startNode(environment);
  await ownsAll(first, integrations);
  const second = await startNode(environment);
  first.signal('SIGKILL');
  const took = await ownsAll(second, integrations);
  await second.stop();
  return took;
}

async function ownsAll({ url }: Running, integrations: number): Promise<number> {
  const began = performance.now();
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const owned = Number(/^switchboard_integrations_owned (\d+)/m.exec(metrics)?.[1] ?? 0);
    if (owned >= integrations) return performance.now() - began;
    if (performance.now() - began > PATIENCE_MS) throw new Error(`${owned} are owned`);
    await pause(20);
  }
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
