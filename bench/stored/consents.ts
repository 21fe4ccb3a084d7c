import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import type { Bench } from '../harness/bench.ts';
import { fill } from '../harness/filling.ts';
import { type Stores, compare } from '../harness/pairs.ts';
import { type Sample, takeSample } from '../harness/sample.ts';
import { StoreWork } from '../harness/store-work.ts';

/*
 * The cost of accepting and delivering a plain message with many consents, beside that with none. Measured at the store,
 * in groups as at a moderate load.
 */

const CONSENTS = 100_000;
const PER_COMMIT = 5_000;
const GROUPS = 100;
const GROUP = 10;
/** Messages that were sent before, on both stores: an empty store would fit into every cache. */
const STORED = 100_000;
const ROUNDS = 9;

export async function report(bench: Bench): Promise<void> {
  const { rounds = ROUNDS } = bench.options;
  const rows: string[][] = [];
  for (const { name, open } of bench.stores) {
    const stores: Stores = {
      none: await opened(await open(), 0),
      many: await opened(await open(), CONSENTS),
    };
    const found = await compare(stores, {
      rounds,
      groups: GROUPS,
      group: GROUP,
      recipients: STORED / 10,
      progress: (round) => bench.progress(`round ${round}/${rounds}  consents, ${name}`),
    });
    rows.push([`accept, ${name}`, ...found.accept], [`deliver, ${name}`, ...found.deliver]);
    await stores.none.close();
    await stores.many.close();
  }
  const most = CONSENTS.toLocaleString('en');
  bench.report(['', 'without consents, ms', `with ${most}, ms`, 'ratio'], rows);
}

async function opened(
  environment: { SWITCHBOARD_DATABASE: string },
  consents: number,
): Promise<StoreWork> {
  const sample = await takeSample(environment);
  await fill(environment.SWITCHBOARD_DATABASE, sample, STORED);
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
