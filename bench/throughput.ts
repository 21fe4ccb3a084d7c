import { bareTarget, measure, serviceTarget } from './accept.ts';
import { deliveryTarget } from './deliver.ts';
import { type Bench, middle, ratio } from './harness/bench.ts';
import { endedAfter } from './harness/cleanup.ts';
import { keep } from './harness/measured.ts';

/** A subject to compare with the bare server. `start` resolves to a function that returns its messages per second. */
interface Subject {
  name: string;
  start(name: string): Promise<(seconds: number) => Promise<number>>;
}

/**
 * Messages accepted, and accepted and delivered, per second, relative to a bare Fastify POST. Each subject alternates with
 * the bare server, and nothing else runs.
 */
export async function report(bench: Bench): Promise<void> {
  const { connections = 100 } = bench.options;
  const subjects = bench.stores.flatMap(({ name: store, open }): Subject[] => [
    {
      name: `accepted, ${store}`,
      async start(name) {
        const target = await serviceTarget(name, await open());
        return async (seconds) => (await measure(target, connections, seconds)).perSecond;
      },
    },
    {
      name: `accepted and delivered, ${store}`,
      async start(name) {
        const target = await deliveryTarget(name, await open());
        return async (seconds) => (await target.measure(connections, seconds)).perSecond;
      },
    },
  ]);
  const rows: string[][] = [];
  for (const subject of subjects) rows.push(await endedAfter(() => measureBeside(bench, subject)));
  bench.report(['', 'messages/s', 'bare Fastify POST', 'ratio'], rows);
  if (bench.options.save) {
    const rates = rows.map(([name = '', perSecond]) => [name, Number(perSecond)] as const);
    keep('throughput', { rates: Object.fromEntries(rates) });
  }
}

async function measureBeside(bench: Bench, { name, start }: Subject): Promise<string[]> {
  const { rounds = 3, seconds = 8, connections = 100 } = bench.options;
  const bare = await bareTarget();
  const run = await start(name);
  const found: { bare: number; own: number }[] = [];
  // The first round is a warm-up and does not count.
  for (let round = 0; round <= rounds; round++) {
    const one = {
      bare: (await measure(bare, connections, seconds)).perSecond,
      own: await run(seconds),
    };
    if (round === 0) continue;
    found.push(one);
    const words = `${Math.round(one.own)}/s, ${ratio(one.own, one.bare)} of ${Math.round(one.bare)}/s`;
    bench.progress(`round ${round}/${rounds}  ${name}: ${words}`);
  }
  const own = middle(found.map((one) => one.own));
  const alone = middle(found.map((one) => one.bare));
  return [name, String(Math.round(own)), String(Math.round(alone)), ratio(own, alone)];
}
