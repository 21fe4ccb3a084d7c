import { setTimeout as pause } from 'node:timers/promises';

import type { Bench } from './harness/bench.ts';
import { type Endpoint, openEndpoint } from './harness/endpoint.ts';
import { type BenchApplication, startBenchService } from './harness/service.ts';
import { delaysOf } from './latency.ts';

/*
 * The time without delivery for an integration whose node is gone: from the moment the node is killed or suspended until
 * a message accepted by another node after that arrives. The other node keeps accepting messages meanwhile.
 */
type Blow = 'SIGKILL' | 'SIGSTOP';

const ROUNDS = 3;
const MESSAGES = 100;
/** Shifts the kill in each round, so that the rounds differ in the age of the lease. */
const SHIFT_MS = 700;
const TAKEOVER_TIMEOUT_MS = 60_000;

/** Returns the milliseconds of each round. */
export async function measureTakeover(
  blow: Blow,
  open: () => Promise<Record<string, string>>,
): Promise<number[]> {
  const delays: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    delays.push(await takeover(blow, await open(), round * SHIFT_MS));
  }
  return delays;
}

async function takeover(
  blow: Blow,
  environment: Record<string, string>,
  after: number,
): Promise<number> {
  const endpoint = await openEndpoint(0);
  const first = await startBenchService(environment);
  try {
    const application = await first.application({ name: 'webhook', address: endpoint.url });
    // The first node is alone until it has sent a message, so it owns the integration.
    await delaysOf(first.running.url, application, endpoint, 1);
    const second = await startBenchService(environment);
    try {
      const flow = delaysOf(second.running.url, application, endpoint, MESSAGES);
      await pause(after);
      first.running.signal(blow);
      const [delay] = await Promise.all([delayOf(second.running.url, application, endpoint), flow]);
      return delay;
    } finally {
      await second.running.stop();
    }
  } finally {
    // A suspended process handles no other signal.
    first.running.signal('SIGKILL');
    await first.running.stop();
    await endpoint.close();
  }
}

async function delayOf(
  url: string,
  { headers, body }: BenchApplication,
  endpoint: Endpoint,
): Promise<number> {
  const to = 'after-the-blow';
  const began = performance.now();
  const arrived = endpoint.inboundEvent(to);
  const answer = await fetch(`${url}/1/message`, { method: 'POST', headers, body: body(to) });
  if (answer.status !== 202) throw new Error(`answered ${answer.status}`);
  await answer.text();
  const late = pause(TAKEOVER_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error('no node took over');
  });
  return (await Promise.race([arrived, late])) - began;
}

export async function report(bench: Bench): Promise<void> {
  const rows: string[][] = [];
  for (const [blow, name] of [
    ['SIGKILL', 'killed'],
    ['SIGSTOP', 'suspended'],
  ] as const) {
    bench.progress(`takeover: ${name}`);
    const delays = await measureTakeover(blow, bench.onPostgres);
    rows.push([`the first is ${name}`, (Math.max(...delays) / 1000).toFixed(1)]);
  }
  bench.report(['until another node sends', 'longest of three, s'], rows);
}
