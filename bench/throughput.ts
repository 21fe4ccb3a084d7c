import { type Target, bareTarget, measure, serviceTarget } from './accept.ts';
import { type DeliveryTarget, deliveryTarget } from './deliver.ts';

export interface ThroughputOptions {
  rounds: number;
  seconds: number;
  connections: number;
  embedded(): Record<string, string>;
  onPostgres(): Promise<Record<string, string>>;
  progress(text: string): void;
}

/**
 * How many messages a second are accepted, and how many are accepted and delivered, on each store, beside a
 * bare Fastify POST. Answers a table.
 */
export async function measureThroughput(options: ThroughputOptions): Promise<string> {
  const { rounds, seconds, connections, embedded, onPostgres, progress } = options;
  const accepting: Target[] = [
    await bareTarget(),
    await serviceTarget('accepted, embedded store', embedded()),
    await serviceTarget('accepted, PostgreSQL', await onPostgres()),
  ];
  const delivering: DeliveryTarget[] = [
    await deliveryTarget('accepted and delivered, embedded store', embedded()),
    await deliveryTarget('accepted and delivered, PostgreSQL', await onPostgres()),
  ];
  const runs = [
    ...accepting.map((target) => ({
      name: target.name,
      run: async (time: number) => (await measure(target, connections, time)).perSecond,
    })),
    ...delivering.map((target) => ({
      name: target.name,
      run: (time: number) => target.measure(connections, time),
    })),
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
    for (const target of accepting) await target.running.stop();
    for (const target of delivering) await target.stop();
  }
  const middle = (name: string) => {
    const sorted = (results.get(name) ?? []).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  const bare = middle(runs[0]?.name ?? '');
  const rows = runs.map(({ name }) => {
    const perSecond = middle(name);
    return `| ${name} | ${Math.round(perSecond)} | ${(perSecond / bare).toFixed(2)} |`;
  });
  return ['| | messages/s | ratio |', '|---|---|---|', ...rows, ''].join('\n');
}
