import { setTimeout as pause } from 'node:timers/promises';

import { Agent } from 'undici';

import { TENANTS } from './deliver.ts';
import { type Bench, figure } from './harness/bench.ts';
import { type Endpoint, openEndpoint, percentile } from './harness/endpoint.ts';
import { type BenchApplication, startBenchService } from './harness/service.ts';

/*
 * The time until a message is accepted, and until it reaches the channel, at a fixed rate of requests. Requests are sent
 * on schedule without waiting for earlier responses, and their time counts from the scheduled moment. So a service that
 * falls behind does not get fewer requests (no coordinated omission).
 */

const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9];
const CONNECTIONS = 100;
/** The time allowed for the last messages to arrive. */
const DRAIN_TIMEOUT_MS = 60_000;

interface Delays {
  accepted: number[];
  arrived: number[];
}

/** Posts a message that was scheduled for `due`, and records its delays. */
type Post = (due: number) => Promise<void>;

export async function report(bench: Bench): Promise<void> {
  const { seconds = 8 } = bench.options;
  for (const { name, open } of bench.stores) {
    const environment = await open();
    const endpoint = await openEndpoint(0);
    const service = await startBenchService(environment);
    const agent = new Agent({ connections: 4 * CONNECTIONS });
    try {
      const applications: BenchApplication[] = [];
      for (let i = 0; i < TENANTS; i++) {
        applications.push(await service.application({ name: 'webhook', address: endpoint.url }));
      }
      const posting = (delays: Delays) =>
        postTo(service.running.url, applications, endpoint, agent, delays);
      // Warm-up.
      await mostPerSecond(posting, seconds);
      const most = await mostPerSecond(posting, seconds);
      const rows: string[][] = [];
      for (const share of SHARES) {
        bench.progress(`load: ${name}, ${share * 100} % of ${figure(most)}/s`);
        const { accepted, arrived } = await at(most * share, posting, seconds);
        rows.push([
          `${share * 100} %`,
          figure(most * share),
          ...[accepted, arrived].flatMap((delays) =>
            [0.5, 0.99].map((part) => percentile(delays, part).toFixed(1)),
          ),
        ]);
      }
      bench.report(
        [
          `share of maximum throughput, ${name}`,
          'messages/s',
          'accepted, p50 ms',
          'p99 ms',
          'at the channel, p50 ms',
          'p99 ms',
        ],
        rows,
      );
    } finally {
      await service.running.stop();
      await agent.destroy();
      await endpoint.close();
    }
  }
}

/** Each message has its own recipient, which identifies it on arrival. */
let sent = 0;

function postTo(
  url: string,
  applications: readonly BenchApplication[],
  endpoint: Endpoint,
  agent: Agent,
  delays: Delays,
): Post {
  return async (due) => {
    const number = ++sent;
    const application = applications[number % applications.length];
    if (!application) throw new Error('there is no application');
    const to = `load-${number}`;
    const inboundEvent = endpoint.inboundEvent(to);
    const { statusCode, body } = await agent.request({
      origin: url,
      path: '/1/message',
      method: 'POST',
      headers: application.headers,
      body: application.body(to),
    });
    await body.dump();
    if (statusCode !== 202) throw new Error(`answered ${statusCode}`);
    delays.accepted.push(performance.now() - due);
    delays.arrived.push((await inboundEvent) - due);
  };
}

/** Maximum throughput: messages accepted and delivered per second when each response is followed by the next request. */
async function mostPerSecond(posting: (delays: Delays) => Post, seconds: number): Promise<number> {
  const delays: Delays = { accepted: [], arrived: [] };
  const post = posting(delays);
  const began = performance.now();
  const end = began + seconds * 1000;
  const loop = async () => {
    while (performance.now() < end) await post(performance.now());
  };
  await inTime(Promise.all(Array.from({ length: CONNECTIONS }, loop)), seconds);
  return delays.arrived.length / ((performance.now() - began) / 1000);
}

/** Posts at a mean rate, at random moments (a Poisson process) that are the same in every run. */
async function at(
  perSecond: number,
  posting: (delays: Delays) => Post,
  seconds: number,
): Promise<Delays> {
  const delays: Delays = { accepted: [], arrived: [] };
  const post = posting(delays);
  const chance = chances();
  const underWay: Promise<void>[] = [];
  const began = performance.now();
  const end = began + seconds * 1000;
  for (let due = began; due < end; due += (-Math.log(chance()) / perSecond) * 1000) {
    const wait = due - performance.now();
    if (wait > 0) await pause(wait);
    underWay.push(post(due));
  }
  await inTime(Promise.all(underWay), seconds);
  return delays;
}

/** Pseudo-random numbers above 0 and up to 1, by a Lehmer generator. */
function chances(): () => number {
  let state = 42;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

async function inTime(work: Promise<unknown>, seconds: number): Promise<void> {
  const late = new AbortController();
  const limit = pause(seconds * 1000 + DRAIN_TIMEOUT_MS, undefined, {
    signal: late.signal,
    ref: false,
  });
  const tooLate = limit.then(() => {
    throw new Error('accepted messages did not arrive in time');
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    tooLate.catch(() => {});
    late.abort();
  }
}
