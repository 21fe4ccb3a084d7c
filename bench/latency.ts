import { setTimeout as pause } from 'node:timers/promises';

import type { Bench } from './harness/bench.ts';
import { type Endpoint, openEndpoint, percentile } from './harness/endpoint.ts';
import { type BenchApplication, startBenchService } from './harness/service.ts';

/*
 * The time from posting a message until the request reaches the channel, on an idle service. It includes the flush to
 * disk before the 202 and the one that records the start of the attempt.
 */
export interface Latency {
  p50: number;
  p99: number;
}

const MESSAGES = 400;
const MEAN_PAUSE_MS = 10;

async function measureLatency(environment: Record<string, string>): Promise<Latency> {
  const endpoint = await openEndpoint(0);
  const service = await startBenchService(environment);
  try {
    const application = await service.application({ name: 'webhook', address: endpoint.url });
    const delays = await delaysOf(service.running.url, application, endpoint, MESSAGES);
    return { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99) };
  } finally {
    await service.running.stop();
    await endpoint.close();
  }
}

export async function report(bench: Bench): Promise<void> {
  const rows: string[][] = [];
  for (const { name, open } of bench.stores) {
    const { p50, p99 } = await measureLatency(await open());
    rows.push([name, p50.toFixed(1), p99.toFixed(1)]);
  }
  bench.report(['from POST to the request at the channel', 'p50 ms', 'p99 ms'], rows);
}

/** Posts messages one at a time; returns the time each took to arrive, in milliseconds. */
export async function delaysOf(
  url: string,
  { headers, body }: BenchApplication,
  endpoint: Endpoint,
  messages: number,
): Promise<number[]> {
  const delays: number[] = [];
  for (let i = 0; i < messages; i++) {
    const to = `single-${i}`;
    const arrived = endpoint.inboundEvent(to);
    const posted = performance.now();
    const answer = await fetch(`${url}/1/message`, { method: 'POST', headers, body: body(to) });
    if (answer.status !== 202) throw new Error(`answered ${answer.status}`);
    await answer.text();
    delays.push((await arrived) - posted);
    // Random, so that the requests do not synchronize with the service's timers.
    await pause(Math.random() * 2 * MEAN_PAUSE_MS);
  }
  // Drops the warm-up.
  return delays.slice(Math.floor(messages / 10));
}
