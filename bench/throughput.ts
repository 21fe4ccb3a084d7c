import { type Target, bareTarget, measure, serviceTarget } from './accept.ts';
import { deliveryTarget } from './deliver.ts';

export interface ThroughputOptions {
  rounds: number;
  seconds: number;
  connections: number;
  /** What the store is called, and how to get a new one. */
  store: string;
  open(): Record<string, string> | Promise<Record<string, string>>;
  progress(text: string): void;
}

/**
 * How many messages a second are accepted, and how many are accepted and delivered, on one store, beside a
 * bare Fastify POST. Answers a table.
 */
export async function measureThroughput(options: ThroughputOptions): Promise<string> {
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
    { name: delivering.name, run: (time: number) => delivering.measure(connections, time) },
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
  const middle = (name: string) => {
    const sorted = (results.get(name) ?? []).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  const fastest = middle(bare.name);
  const rows = runs.map(({ name }) => {
    const perSecond = middle(name);
    return `| ${name} | ${Math.round(perSecond)} | ${(perSecond / fastest).toFixed(2)} |`;
  });
  return ['| | messages/s | ratio |', '|---|---|---|', ...rows, ''].join('\n');
}
