import { setTimeout as pause } from 'node:timers/promises';

import { Agent } from 'undici';

import { type Bench, figure } from './bench.ts';
import { TENANTS } from './deliver.ts';
import { type Endpoint, openEndpoint, percentile } from './endpoint.ts';
import { type BenchApplication, startBenchService } from './service.ts';

/*
 * How long it takes until a message is accepted, and until it is at the channel, while so many come each second. They come
 * when they are due, whether or not those before them were answered, and their time counts from the moment they were due:
 * whoever falls behind does not get fewer of them.
 */

const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9];
const AT_ONCE = 100;
/** How long is waited for the last ones, in milliseconds. */
const PATIENCE = 60_000;

interface Delays {
  accepted: number[];
  arrived: number[];
}

/** Posts a message that was due at that moment, and notes how long it took. */
type Post = (due: number) => Promise<void>;

export async function report(bench: Bench): Promise<void> {
  const { seconds = 8 } = bench.options;
  for (const { name, open } of bench.stores) {
    const environment = await open();
    const endpoint = await openEndpoint(0);
    const service = await startBenchService(environment);
    const agent = new Agent({ connections: 4 * AT_ONCE });
    try {
      const applications: BenchApplication[] = [];
      for (let i = 0; i < TENANTS; i++) {
        applications.push(await service.application({ name: 'webhook', address: endpoint.url }));
      }
      const posting = (delays: Delays) =>
        postTo(service.running.url, applications, endpoint, agent, delays);
      // The first ones find everything cold.
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
          `of the most, ${name}`,
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

/** Each message has a recipient of its own, by which it is known when it arrives. */
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
    const arrival = endpoint.arrival(to);
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
    delays.arrived.push((await arrival) - due);
  };
}

/** How many a second are accepted and delivered when each answer is followed by the next message. */
async function mostPerSecond(posting: (delays: Delays) => Post, seconds: number): Promise<number> {
  const delays: Delays = { accepted: [], arrived: [] };
  const post = posting(delays);
  const began = performance.now();
  const end = began + seconds * 1000;
  const loop = async () => {
    while (performance.now() < end) await post(performance.now());
  };
  await inTime(Promise.all(Array.from({ length: AT_ONCE }, loop)), seconds);
  return delays.arrived.length / ((performance.now() - began) / 1000);
}

/** So many a second, at moments that chance gives them, the same in every run. */
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

/** Numbers above 0 and up to 1, by the generator of Lehmer. */
function chances(): () => number {
  let state = 42;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

async function inTime(work: Promise<unknown>, seconds: number): Promise<void> {
  const late = new AbortController();
  const limit = pause(seconds * 1000 + PATIENCE, undefined, { signal: late.signal, ref: false });
  const tooLate = limit.then(() => {
    throw new Error('messages that were accepted did not arrive in time');
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    tooLate.catch(() => {});
    late.abort();
  }
}
