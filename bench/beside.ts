import { type Target, bareTarget, measure, serviceTarget } from './accept.ts';
import { type Bench, figure, middle, ratio } from './bench.ts';
import { cpuSeconds } from './cpu.ts';
import { type DeliveryTarget, deliveryTarget } from './deliver.ts';
import { type Gateway, bullmq, graphile, installGateways } from './gateways.ts';
import { postmasterOf } from './postmaster.ts';

/*
 * The service beside what a team would write itself around a queue, in one run and in turns. The others check no token
 * and no schema, and only the last of them keeps a record of what was sent.
 */

/** What each promises, since that is what the figures buy. */
interface Promises {
  /** What has happened to the message before the 202. */
  durable: string;
  order: string;
  retries: string;
  /** What becomes of what was being sent when the process is killed. */
  crash: string;
  repeats: string;
  record: string;
}

interface Contender {
  name: string;
  promises: Promises;
  accepting: Target;
  /** With the processes of it and of its store; undefined for one that only takes. */
  delivering?: DeliveryTarget & { processes: number[] };
}

interface Results {
  accepted: number[];
  delivered: number[];
  /** Microseconds of processors for each message that was accepted and delivered. */
  cost: number[];
}

const NOTHING: Promises = {
  durable: 'nothing',
  order: 'no',
  retries: 'no',
  crash: 'lost',
  repeats: 'no',
  record: 'no',
};

const OURS: Promises = {
  durable: 'flushed to disk',
  order: 'yes',
  retries: 'by what the channel said',
  crash: 'goes on after 10 s at the most',
  repeats: '`Idempotency-Key`',
  record: 'state, attempts, events',
};

const QUEUED = { order: 'no', repeats: 'no', record: 'no' };

const BULLMQ = {
  ...QUEUED,
  retries: '10 times, exponential',
  crash: 'goes on after 30 s or more, once',
};

const GRAPHILE = {
  ...QUEUED,
  durable: 'flushed to disk',
  retries: '10 times, exponential',
  crash: 'goes on after 4 h',
};

export async function report(bench: Bench): Promise<void> {
  await installGateways(bench);
  const { rounds = 3, seconds = 8, connections = 100 } = bench.options;
  const contenders = await startAll(bench);
  const results = contenders.map((): Results => ({ accepted: [], delivered: [], cost: [] }));
  // A round that does not count, until everything that runs often is compiled.
  for (let round = 0; round <= rounds; round++) {
    for (const [i, { name, accepting, delivering }] of contenders.entries()) {
      const accepted = (await measure(accepting, connections, seconds)).perSecond;
      bench.progress(`round ${round}/${rounds}  ${name}: ${figure(accepted)} accepted`);
      if (round > 0) results[i]?.accepted.push(accepted);
      if (!delivering) continue;
      const before = cpuOf(delivering.processes);
      const { perSecond, messages } = await delivering.measure(connections, seconds);
      const cost = ((cpuOf(delivering.processes) - before) / messages) * 1e6;
      bench.progress(`  ${figure(perSecond)} accepted and delivered, ${figure(cost)} µs each`);
      if (round === 0) continue;
      results[i]?.delivered.push(perSecond);
      results[i]?.cost.push(cost);
    }
  }
  const fastest = middle(results[0]?.accepted ?? []);
  bench.report(
    ['', 'accepted/s', 'ratio', 'accepted and delivered/s', 'ratio', 'CPU µs each'],
    contenders.map(({ name, delivering }, i) => {
      const { accepted = [], delivered = [], cost = [] } = results[i] ?? {};
      const both = delivering
        ? [figure(middle(delivered)), ratio(middle(delivered), fastest), figure(middle(cost))]
        : ['', '', ''];
      return [name, figure(middle(accepted)), ratio(middle(accepted), fastest), ...both];
    }),
  );
  bench.report(
    [
      '',
      'before the `202`',
      'order to one recipient',
      'tried again',
      'what was being sent at a crash',
      'a request repeated is known',
      'what became of it is kept',
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

async function startAll(bench: Bench): Promise<Contender[]> {
  const bare = await bareTarget();
  const contenders: Contender[] = [{ name: bare.name, promises: NOTHING, accepting: bare }];
  const flushed = 'flushed to disk';
  const soon = 'written, flushed within a second or so';
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
  for (const [{ name, accepting, delivering }, promises] of gateways) {
    bench.progress(`starting ${name}`);
    contenders.push({
      name,
      promises,
      accepting: await accepting(),
      delivering: await delivering(),
    });
  }
  for (const { name: store, isEmbedded, open } of bench.stores) {
    const name = `Switchboard, ${store}`;
    bench.progress(`starting ${name}`);
    const accepting = await serviceTarget(name, await open());
    const environment = await open();
    const delivering = await deliveryTarget(name, environment);
    const server = isEmbedded ? [] : [await postmasterOf(environment.SWITCHBOARD_DATABASE)];
    const processes = [delivering.service.running.pid, ...server];
    contenders.push({
      name,
      promises: OURS,
      accepting,
      delivering: { ...delivering, processes },
    });
  }
  return contenders;
}

const cpuOf = (processes: readonly number[]) =>
  processes.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
