import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { cpuSeconds } from '../harness/cpu.ts';
import { type Running, startNode } from '../harness/processes.ts';

/** The time until the garbage of startup is collected. */
const SETTLE_MS = 15_000;
const OBSERVATION_MS = 20_000;
const OWNERSHIP_TIMEOUT_MS = 120_000;

export interface Idle {
  /** Time from process start until it is ready. */
  readyMs: number;
  /** Time from then until it owns all integrations. */
  ownsAllMs: number;
  /** Share of one core. */
  cpu: number;
  bytes: number;
}

/** Starts the service and measures it while it is idle. */
export async function measureIdle(
  environment: Record<string, string>,
  integrations: number,
): Promise<Idle> {
  const began = performance.now();
  const service = await startNode(environment);
  while (!(await fetch(`${service.url}/readyz`)).ok) await pause(5);
  const readyMs = performance.now() - began;
  const ownsAllMs = await ownsAll(service, integrations);
  await pause(SETTLE_MS);
  const before = cpuSeconds(service.pid);
  await pause(OBSERVATION_MS);
  const cpu = (cpuSeconds(service.pid) - before) / (OBSERVATION_MS / 1000);
  const bytes = residentBytes(service.pid);
  await service.stop();
  return { readyMs, ownsAllMs, cpu, bytes };
}

/** Kills a node that owns everything; returns the milliseconds until another node owns everything. */
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
    if (performance.now() - began > OWNERSHIP_TIMEOUT_MS)
      throw new Error(`only ${owned} integrations are owned`);
    await pause(20);
  }
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
