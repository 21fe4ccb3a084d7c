import { type Bench, middle, ratio } from './harness/bench.ts';
import { takeSample } from './harness/sample.ts';
import { StoreWork, recipientsOf } from './harness/store-work.ts';

/*
 * The cost of scheduled messages: accepting and delivering others beside a million that wait for their time, compared
 * with none. Both stores are open at once and measured in turn.
 */

const BULK = 2_000;
/** Messages per commit and per dispatch round. */
const GROUP = 100;
const RECIPIENTS = 1_000;
const DAY_MS = 24 * 60 * 60 * 1000;

interface Times {
  accept: number[];
  deliver: number[];
}

async function measureOnce(work: StoreWork, seed: number, { accept, deliver }: Times) {
  accept.push(await work.accept(recipientsOf(GROUP, RECIPIENTS, seed)));
  let spent = 0;
  for (;;) {
    const { claimed, milliseconds } = await work.dispatch(GROUP);
    spent += milliseconds;
    if (claimed === 0) break;
  }
  deliver.push(spent);
}

export async function report(bench: Bench): Promise<void> {
  const many = bench.options.most ?? 1_000_000;
  const rounds = bench.options.rounds ?? 300;
  const rows: string[][] = [];
  for (const { name, open } of bench.stores) {
    const works: StoreWork[] = [];
    try {
      for (const scheduled of [0, many]) {
        bench.progress(`schedule: ${name}, ${scheduled} scheduled`);
        const environment = await open();
        const work = await StoreWork.open(environment, await takeSample(environment));
        works.push(work);
        const dueAt = Date.now() + 30 * DAY_MS;
        for (let i = 0; i < scheduled; i += BULK) {
          const count = Math.min(BULK, scheduled - i);
          await work.accept(recipientsOf(count, Math.ceil(many / 10), i), dueAt + i);
        }
      }
      await bench.analyze();
      const times = works.map((): Times => ({ accept: [], deliver: [] }));
      for (let round = 0; round < rounds; round++) {
        for (const [i, work] of works.entries()) {
          const own = times[i];
          if (own) await measureOnce(work, round * GROUP, own);
        }
      }
      for (const what of ['accept', 'deliver'] as const) {
        const [none = 0, all = 0] = times.map((own) => middle(own[what]));
        const text = (value: number) => `${value.toFixed(2)} ms`;
        rows.push([`${name}, ${what} ${GROUP}`, text(none), text(all), ratio(all, none)]);
      }
    } finally {
      for (const work of works) await work.close();
    }
  }
  const headings = ['store', 'none scheduled', `${many.toLocaleString('en')} scheduled`, 'ratio'];
  bench.report(headings, rows);
}
