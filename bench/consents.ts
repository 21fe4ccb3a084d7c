import { readConfig } from '../src/config.ts';
import { openStore } from '../src/setup.ts';
import { type Bench, middle } from './harness/bench.ts';
import { type Sample, takeSample } from './harness/sample.ts';
import { StoreWork, recipientsOf } from './harness/store-work.ts';

/*
 * The cost of accepting and delivering a plain message with many consents, beside that with none. Measured at the store,
 * in groups as at a moderate load. Both stores get each group in turn.
 */

const CONSENTS = 100_000;
const PER_COMMIT = 5_000;
const GROUPS = 100;
const GROUP = 10;
const RECIPIENTS = 10_000;
const ROUNDS = 9;

/** Milliseconds per message, of two stores at nearly the same moment. */
interface Pair {
  none: number;
  many: number;
}

export async function report(bench: Bench): Promise<void> {
  const { rounds = ROUNDS } = bench.options;
  const rows: string[][] = [];
  for (const { name, open } of bench.stores) {
    const stores = {
      none: await opened(await open(), 0),
      many: await opened(await open(), CONSENTS),
    };
    const accepts: Pair[] = [];
    const deliveries: Pair[] = [];
    // The first round is a warm-up and does not count.
    for (let round = 0; round <= rounds; round++) {
      const found = await acceptAndDeliver(stores);
      if (round > 0) {
        accepts.push(...found.accepts);
        deliveries.push(...found.deliveries);
      }
      bench.progress(`round ${round}/${rounds}  consents, ${name}`);
    }
    rows.push(rowOf(`accept, ${name}`, accepts), rowOf(`deliver, ${name}`, deliveries));
    await stores.none.close();
    await stores.many.close();
  }
  const most = CONSENTS.toLocaleString('en');
  bench.report(['', 'without consents, ms', `with ${most}, ms`, 'ratio'], rows);
}

/** The ratio is the median of all pairs, so that a slow moment of the machine does not count for one store only. */
function rowOf(name: string, pairs: readonly Pair[]): string[] {
  const none = middle(pairs.map((pair) => pair.none));
  const many = middle(pairs.map((pair) => pair.many));
  const factor = middle(pairs.map((pair) => pair.many / pair.none));
  return [name, none.toFixed(3), many.toFixed(3), factor.toFixed(2)];
}

async function opened(environment: Record<string, string>, consents: number): Promise<StoreWork> {
  const sample = await takeSample(environment);
  await record(environment, sample, consents);
  return StoreWork.open(environment, sample);
}

/** Half of the people stopped messages, under other addresses than those of the messages. */
async function record(
  environment: Record<string, string>,
  { applicationId }: Sample,
  count: number,
): Promise<void> {
  const store = await openStore(readConfig(environment));
  const proof = { scope: 'all', source: 'import', evidence: 'bench' } as const;
  for (let done = 0; done < count; done += PER_COMMIT) {
    const changes = Array.from({ length: PER_COMMIT }, (_, i) => ({
      ...proof,
      applicationId,
      key: `webhook:person-${done + i}`,
      state: i % 2 === 0 ? ('revoked' as const) : ('granted' as const),
      at: Date.now(),
    }));
    await store.consents.change(changes);
  }
  await store.close();
}

/** Both stores get the same groups in turn; which one is first alternates. */
async function acceptAndDeliver(
  stores: Readonly<Record<keyof Pair, StoreWork>>,
): Promise<{ accepts: Pair[]; deliveries: Pair[] }> {
  const accepts: Pair[] = [];
  const deliveries: Pair[] = [];
  for (let i = 0; i < GROUPS; i++) {
    seed += GROUP;
    const recipients = recipientsOf(GROUP, RECIPIENTS, seed);
    accepts.push(await inTurn(i, (store) => stores[store].accept(recipients)));
  }
  for (let i = 0; i < GROUPS; i++) {
    const claim = async (store: keyof Pair) => (await stores[store].dispatch(GROUP)).milliseconds;
    deliveries.push(await inTurn(i, claim));
  }
  await stores.none.drain(GROUP);
  await stores.many.drain(GROUP);
  return { accepts, deliveries };
}

async function inTurn(i: number, run: (store: keyof Pair) => Promise<number>): Promise<Pair> {
  const isSwapped = i % 2 === 1;
  const first = await run(isSwapped ? 'many' : 'none');
  const second = await run(isSwapped ? 'none' : 'many');
  const [none, many] = isSwapped ? [second, first] : [first, second];
  return { none: none / GROUP, many: many / GROUP };
}

/** Advances so that each round uses other recipients. */
let seed = 1;
