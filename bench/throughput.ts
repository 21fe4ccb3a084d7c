import { type Target, bareTarget, measure, serviceTarget } from './accept.ts';
import { type Bench, middle, ratio } from './bench.ts';
import { deliveryTarget } from './deliver.ts';

interface ThroughputOptions {
  rounds: number;
  seconds: number;
  connections: number;
  /** What the store is called, and how to get a new one. */
  store: string;
  open(): Promise<Record<string, string>>;
  progress(text: string): void;
}

/**
 * How many messages a second are accepted, and how many are accepted and delivered, on one store, beside a
 * bare Fastify POST. Answers the rows of a table.
 */
async function measureThroughput(options: ThroughputOptions): Promise<string[][]> {
  const { rounds, seconds, connections, store, open, progress } = options;
  const bare = await bareTarget();
  const accepting = await serviceTarget(`accepted, ${store}`, await open());
  const delivering = await deliveryTarget(`accepted and delivered, ${store}`, await open());
  const accepted = (target: Target) => ({
    name: target.name,
    run: async (time: number) => (await measure(target, connections, time)).perSecond,
  });
  const runs = [
    accepted(bare),
    accepted(accepting),
    {
      name: delivering.name,
      run: async (time: number) => (await delivering.measure(connections, time)).perSecond,
    },
  ];
  const results = new Map<string, number[]>();
  try {
    // A round that does not count, until everything that runs often is compiled.
    for (const { run } of runs) await run(seconds);
    for (let round = 1; round <= rounds; round++) {
      for (const { name, run } of runs) {
        const perSecond = await run(seconds);
        results.set(name, [...(results.get(name) ?? []), perSecond]);
        progress(`round ${round}/${rounds}  ${name}: ${Math.round(perSecond)}/s`);
      }
    }
  } finally {
    await bare.running.stop();
    await accepting.running.stop();
    await delivering.stop();
  }
  const fastest = middle(results.get(bare.name) ?? []);
  return runs.map(({ name }) => {
    const perSecond = middle(results.get(name) ?? []);
    return [name, String(Math.round(perSecond)), ratio(perSecond, fastest)];
  });
}

export async function report(bench: Bench): Promise<void> {
  const { rounds = 3, seconds = 8, connections = 100 } = bench.options;
  for (const { name, open } of bench.stores) {
    const rows = await measureThroughput({
      rounds,
      seconds,
      connections,
      store: name,
      open,
      progress: bench.progress,
    });
    bench.report(['', 'messages/s', 'ratio'], rows);
  }
}
