import type { Bench } from '../harness/bench.ts';
import { fill, fillSchedule } from '../harness/filling.ts';
import { type Stores, compare } from '../harness/pairs.ts';
import { takeSample } from '../harness/sample.ts';
import { StoreWork } from '../harness/store-work.ts';

/*
 * The cost of scheduled messages: accepting and delivering others beside a million that wait for their time, compared
 * with none. Both stores have the same history.
 */

const SCHEDULED = 1_000_000;
/** Messages that were sent before, on both stores: an empty store would fit into every cache. */
const STORED = 100_000;
const GROUPS = 100;
const GROUP = 10;
const ROUNDS = 9;

export async function report(bench: Bench): Promise<void> {
  const { rounds = ROUNDS, most: scheduled = SCHEDULED } = bench.options;
  const rows: string[][] = [];
  for (const { name, open } of bench.stores) {
    const opened = async (count: number): Promise<StoreWork> => {
      bench.progress(`schedule: ${name}, ${count.toLocaleString('en')} scheduled`);
      const environment = await open();
      const sample = await takeSample(environment);
      const { SWITCHBOARD_DATABASE: database } = environment;
      await fill(database, sample, STORED);
      await fillSchedule(database, sample, count, STORED / 10);
      return StoreWork.open(environment, sample);
    };
    const stores: Stores = { none: await opened(0), many: await opened(scheduled) };
    const found = await compare(stores, {
      rounds,
      groups: GROUPS,
      group: GROUP,
      recipients: STORED / 10,
      progress: (round) => bench.progress(`round ${round}/${rounds}  schedule, ${name}`),
    });
    rows.push([`accept, ${name}`, ...found.accept], [`deliver, ${name}`, ...found.deliver]);
    await stores.none.close();
    await stores.many.close();
  }
  const most = scheduled.toLocaleString('en');
  bench.report(['', 'none scheduled, ms', `${most} scheduled, ms`, 'ratio'], rows);
}
