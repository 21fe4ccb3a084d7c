import { setTimeout as pause } from 'node:timers/promises';

import type { Bench } from './bench.ts';
import { type Endpoint, openEndpoint } from './endpoint.ts';
import { delaysOf } from './latency.ts';
import { type BenchApplication, startBenchService } from './service.ts';

/*
 * How long nobody sends for an integration whose node is gone: from the moment it is killed or stopped until
 * a message that another node accepted after that arrives. Meanwhile that node goes on taking messages.
 */
type Blow = 'SIGKILL' | 'SIGSTOP';

const ROUNDS = 3;
const MESSAGES = 100;
/** The blow comes at another time after the last renewal of the lease in each round. */
const APART = 700;
const PATIENCE = 60_000;

/** Answers the milliseconds of each round. */
export async function measureTakeover(
  blow: Blow,
  open: () => Promise<Record<string, string>>,
): Promise<number[]> {
  const delays: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    delays.push(await takeover(blow, await open(), round * APART));
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
    // The first is alone until it has sent something, so the integration is its own.
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
    // One that is stopped hears nothing else.
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
  const arrived = endpoint.arrival(to);
  const answer = await fetch(`${url}/1/message`, { method: 'POST', headers, body: body(to) });
  if (answer.status !== 202) throw new Error(`answered ${answer.status}`);
  await answer.text();
  const late = pause(PATIENCE, undefined, { ref: false }).then(() => {
    throw new Error('nobody took over');
  });
  return (await Promise.race([arrived, late])) - began;
}

export async function report(bench: Bench): Promise<void> {
  const rows: string[][] = [];
  for (const [blow, name] of [
    ['SIGKILL', 'killed'],
    ['SIGSTOP', 'stopped'],
  ] as const) {
    bench.progress(`takeover: ${name}`);
    const delays = await measureTakeover(blow, bench.onPostgres);
    rows.push([`the first is ${name}`, (Math.max(...delays) / 1000).toFixed(1)]);
  }
  bench.report(['until another node sends', 'longest of three, s'], rows);
}
