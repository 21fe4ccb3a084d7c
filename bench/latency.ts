import { setTimeout as pause } from 'node:timers/promises';

import type { Bench } from './bench.ts';
import { type Endpoint, openEndpoint, percentile } from './endpoint.ts';
import { type BenchApplication, startBenchService } from './service.ts';

/*
 * How long it takes from the moment a message is posted until the request is at the channel, when nothing
 * else is going on. The flush to disk before the 202 is part of it, and so is the one that records the start.
 */
export interface Latency {
  p50: number;
  p99: number;
}

const MESSAGES = 400;
const PAUSE = 10;

export async function measureLatency(environment: Record<string, string>): Promise<Latency> {
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
  bench.report(['from the post to the request at the channel', 'p50 ms', 'p99 ms'], rows);
}

/** Posts messages one after the other; answers how long each took to arrive, in milliseconds. */
export async function delaysOf(
  url: string,
  { headers, body }: BenchApplication,
  endpoint: Endpoint,
  messages: number,
): Promise<number[]> {
  const delays: number[] = [];
  for (let i = 0; i < messages; i++) {
    const to = `single-${i}`;
    const arrived = endpoint.arrival(to);
    const posted = performance.now();
    const answer = await fetch(`${url}/1/message`, { method: 'POST', headers, body: body(to) });
    if (answer.status !== 202) throw new Error(`answered ${answer.status}`);
    await answer.text();
    delays.push((await arrived) - posted);
    // At random, or it might keep step with what else is going on.
    await pause(Math.random() * 2 * PAUSE);
  }
  // The first ones find everything cold.
  return delays.slice(Math.floor(messages / 10));
}
