import { type Target, bareTarget, measure, serviceTarget } from './accept.ts';
import { type DeliveryTarget, deliveryTarget } from './deliver.ts';
import { type Bench, figure, middle, ratio } from './harness/bench.ts';
import { endedAfter } from './harness/cleanup.ts';
import { cpuSeconds } from './harness/cpu.ts';
import { type Gateway, bullmq, graphile, installGateways } from './harness/gateways.ts';
import { postmasterOf } from './harness/postmaster.ts';

/*
 * Compares the service with gateways that a team would write around a job queue, in one run. Each has the machine and a
 * new store to itself while it is measured, so that none pays for the others' data or processes. The other gateways check
 * neither tokens nor schemas, and only the last of them records what was sent.
 */

/** Rounds that do not count, until the hot code is compiled. */
const WARM_UPS = 2;
const SECONDS = 8;
const CONNECTIONS = 100;

/** What each gateway guarantees, since the guarantees explain the figures. */
interface Promises {
  /** The state of the message before the 202. */
  durable: string;
  order: string;
  retries: string;
  /** What happens to messages in flight when the process is killed. */
  crash: string;
  repeats: string;
  record: string;
}

interface Contender {
  name: string;
  promises: Promises;
  accepting(): Promise<Target>;
  /** With the processes of the gateway and its store. */
  delivering(): Promise<DeliveryTarget & { processes: number[] }>;
}

interface Results {
  accepted: number;
  delivered: number;
  /** CPU microseconds for each message accepted and delivered. */
  cost: number;
}

const OURS: Promises = {
  durable: 'flushed to disk',
  order: 'yes',
  retries: "by the channel's response",
  crash: 'continue after 10 s at most',
  repeats: '`Idempotency-Key`',
  record: 'state, attempts, events',
};

const QUEUED = { order: 'no', repeats: 'no', record: 'no' };

const BULLMQ = {
  ...QUEUED,
  retries: '10 times, exponential',
  crash: 'continue after 30 s or more, once',
};

const GRAPHILE = {
  ...QUEUED,
  durable: 'flushed to disk',
  retries: '10 times, exponential',
  crash: 'continue after 4 h',
};

export async function report(bench: Bench): Promise<void> {
  await installGateways(bench);
  const { seconds = SECONDS, connections = CONNECTIONS } = bench.options;
  const bare = await bareTarget();
  await measure(bare, connections, seconds);
  const contenders = contendersOf(bench);
  const alone: number[] = [];
  const results: Results[] = [];
  for (const contender of contenders) {
    alone.push((await measure(bare, connections, seconds)).perSecond);
    results.push({
      accepted: await endedAfter(() => accepted(bench, contender)),
      ...(await endedAfter(() => delivered(bench, contender))),
    });
  }
  const fastest = middle(alone);
  bench.report(
    ['', 'accepted/s', 'ratio', 'accepted and delivered/s', 'ratio', 'CPU µs each'],
    [
      [bare.name, figure(fastest), ratio(fastest, fastest), '', '', ''],
      ...contenders.map(({ name }, i) => {
        const {
          accepted: acceptedRate = 0,
          delivered: deliveredRate = 0,
          cost = 0,
        } = results[i] ?? {};
        return [
          name,
          figure(acceptedRate),
          ratio(acceptedRate, fastest),
          figure(deliveredRate),
          ratio(deliveredRate, fastest),
          figure(cost),
        ];
      }),
    ],
  );
  bench.report(
    [
      '',
      'before the `202`',
      'order per recipient',
      'retries',
      'messages in flight at a crash',
      'detects repeated requests',
      'keeps results',
    ],
    contenders.map(({ name, promises: { durable, order, retries, crash, repeats, record } }) => [
      name,
      durable,
      order,
      retries,
      crash,
      repeats,
      record,
    ]),
  );
}

/** Messages accepted per second. */
async function accepted(bench: Bench, { name, accepting }: Contender): Promise<number> {
  const { rounds = 3, seconds = SECONDS, connections = CONNECTIONS } = bench.options;
  const target = await accepting();
  const found: number[] = [];
  for (let round = 1; round <= WARM_UPS + rounds; round++) {
    if (round > WARM_UPS) await bench.analyze();
    const { perSecond } = await measure(target, connections, seconds);
    if (round > WARM_UPS) found.push(perSecond);
  }
  bench.progress(`${name}: ${found.map(figure).join(', ')} accepted`);
  return middle(found);
}

/** Messages accepted and delivered per second, and the CPU time of each. */
async function delivered(
  bench: Bench,
  { name, delivering }: Contender,
): Promise<Pick<Results, 'delivered' | 'cost'>> {
  const { rounds = 3, seconds = SECONDS, connections = CONNECTIONS } = bench.options;
  const target = await delivering();
  const found: number[] = [];
  const costs: number[] = [];
  for (let round = 1; round <= WARM_UPS + rounds; round++) {
    if (round > WARM_UPS) await bench.analyze();
    const before = cpuOf(target.processes);
    const { perSecond, messages } = await target.measure(connections, seconds);
    if (round <= WARM_UPS) continue;
    found.push(perSecond);
    costs.push(((cpuOf(target.processes) - before) / messages) * 1e6);
  }
  bench.progress(`${name}: ${found.map(figure).join(', ')} accepted and delivered`);
  return { delivered: middle(found), cost: middle(costs) };
}

function contendersOf(bench: Bench): Contender[] {
  const flushed = 'flushed to disk';
  const soon = 'written, flushed within about a second';
  const gateways: [Gateway, Promises][] = [
    [bullmq(bench, 'always'), { ...BULLMQ, durable: flushed }],
    [bullmq(bench, 'always', { tuned: true }), { ...BULLMQ, durable: flushed }],
    [bullmq(bench, 'everysec', { tuned: true }), { ...BULLMQ, durable: soon }],
    [graphile(bench), GRAPHILE],
    [graphile(bench, { tuned: true }), GRAPHILE],
    [graphile(bench, { tuned: true, ordered: true }), { ...GRAPHILE, order: 'yes' }],
    [
      graphile(bench, { tuned: true, ordered: true, recorded: true }),
      { ...GRAPHILE, order: 'yes', record: 'state, the last attempt' },
    ],
  ];
  return [
    ...gateways.map(([{ name, accepting, delivering }, promises]): Contender => {
      return { name, promises, accepting, delivering };
    }),
    ...bench.stores.map(({ name: store, isEmbedded, open }): Contender => {
      const name = `Switchboard, ${store}`;
      return {
        name,
        promises: OURS,
        accepting: async () => serviceTarget(name, await open()),
        async delivering() {
          const environment = await open();
          const target = await deliveryTarget(name, environment);
          const server = isEmbedded ? [] : [await postmasterOf(environment.SWITCHBOARD_DATABASE)];
          return { ...target, processes: [target.service.running.pid, ...server] };
        },
      };
    }),
  ];
}

const cpuOf = (processes: readonly number[]) =>
  processes.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
