import { setTimeout as pause } from 'node:timers/promises';

import { type Bench, figure, middle } from './harness/bench.ts';
import { keep } from './harness/measured.ts';
import { connected } from './harness/postmaster.ts';
import { type Running, startProcess } from './harness/processes.ts';
import { type BenchApplication, type BenchService, startBenchService } from './harness/service.ts';

/*
 * The throughput of what cannot be parallelized: a lane sends one message at a time, an integration is owned by one node,
 * and the events of an application are ordered. Each is measured alone, with an endpoint that answers at once.
 */

const INTEGRATIONS = 8;
const LANE_MESSAGES = 500;
/** For all but the lane; the maximum of one request. */
const WIDE_MESSAGES = 1_000;
const RECIPIENTS = 200;
const COMMITS = 300;

const NAMES = {
  lane: 'one lane',
  integration: 'one integration',
  application: 'eight integrations of one application',
  apart: 'eight applications',
};
type Key = keyof typeof NAMES;

/** The integrations to send through, and the messages and recipients for each. */
interface Course {
  key: Key;
  ways: readonly Way[];
  messages: number;
  recipients: number;
}

/** An integration and its application's token. */
type Way = Pick<BenchApplication, 'token' | 'activity'>;

export async function report(bench: Bench): Promise<void> {
  const measured: Record<Key, number>[] = [];
  for (const { name, isEmbedded, open } of bench.stores) {
    bench.progress(`limits: ${name}`);
    const environment = await open();
    const perSecond = await measureLimits(bench, environment);
    measured.push(perSecond);
    if (isEmbedded || !bench.options.save) continue;
    const { lane, integration, application } = perSecond;
    const commit = await commitSeconds(environment.SWITCHBOARD_DATABASE);
    bench.progress(`one small commit: ${figure(commit * 1000)} ms`);
    keep('limits', { commit, lane, integration, application });
  }
  bench.report(
    ['delivered/s, by one node', ...bench.stores.map(({ name }) => name)],
    Object.entries(NAMES).map(([key, name]) =>
      [name].concat(measured.map((perSecond) => figure(perSecond[key as Key]))),
    ),
  );
}

/** Measures the courses alternately; returns medians over the rounds. */
async function measureLimits(
  bench: Bench,
  environment: Record<string, string>,
): Promise<Record<Key, number>> {
  const { rounds = 3 } = bench.options;
  const sink = await startProcess('bench/harness/sink.ts', []);
  const service = await startBenchService(environment);
  const courses = await coursesOf(service, sink);
  const rates: Record<Key, number[]> = { lane: [], integration: [], application: [], apart: [] };
  // The first round is a warm-up and does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const course of courses) {
      const perSecond = await run(service, sink, course);
      bench.progress(`round ${round}/${rounds}  ${NAMES[course.key]}: ${figure(perSecond)}/s`);
      if (round > 0) rates[course.key].push(perSecond);
    }
  }
  await service.running.stop();
  await sink.stop();
  const { lane, integration, application, apart } = rates;
  return {
    lane: middle(lane),
    integration: middle(integration),
    application: middle(application),
    apart: middle(apart),
  };
}

async function coursesOf(service: BenchService, sink: Running): Promise<Course[]> {
  const fields = { name: 'webhook', address: sink.url };
  const apart: Way[] = [];
  for (let i = 0; i < INTEGRATIONS; i++) apart.push(await service.application(fields));
  const first = await service.application(fields);
  const together: Way[] = [first];
  while (together.length < INTEGRATIONS) together.push(await service.another(first, fields));
  const one = together.slice(0, 1);
  const wide = { messages: WIDE_MESSAGES, recipients: RECIPIENTS };
  return [
    { key: 'lane', ways: one, messages: LANE_MESSAGES, recipients: 1 },
    { key: 'integration', ways: one, ...wide },
    { key: 'application', ways: together, ...wide },
    { key: 'apart', ways: apart, ...wide },
  ];
}

/** Messages per second, from the first request until the last message has arrived. */
async function run(
  { call }: BenchService,
  sink: Running,
  { ways, messages, recipients }: Course,
): Promise<number> {
  const arrived = async () => Number(await (await fetch(sink.url)).text());
  const before = await arrived();
  const began = performance.now();
  await Promise.all(
    ways.map(({ token, activity }) => {
      const activities = Array.from({ length: messages }, (_, i) =>
        activity(`recipient-${i % recipients}`),
      );
      return call('/1/messages', { messages: activities }, token);
    }),
  );
  const all = ways.length * messages;
  while ((await arrived()) - before < all) await pause(5);
  return all / ((performance.now() - began) / 1000);
}

/** The duration of a minimal commit. */
function commitSeconds(url: string): Promise<number> {
  return connected(url, async (client) => {
    await client.query('create table commits (at bigint)');
    const times: number[] = [];
    for (let i = 0; i < COMMITS; i++) {
      const began = performance.now();
      await client.query('insert into commits values ($1)', [i]);
      times.push(performance.now() - began);
    }
    await client.query('drop table commits');
    return middle(times) / 1000;
  });
}
