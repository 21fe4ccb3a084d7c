import { type Bench, ratio } from './harness/bench.ts';
import { percentile } from './harness/endpoint.ts';
import { takeSample } from './harness/sample.ts';
import { StoreWork, recipientsOf } from './harness/store-work.ts';
import { measureStart } from './start.ts';

/*
 * The cost of a backlog: the time to find and start the next due message by the number of queued messages, with a tenth
 * as many recipients.
 */

const MAX_BATCH = 2_000;
const ROUNDS = 400;

/** The duration of one dispatch round that settles a message and starts the next, in milliseconds. */
async function measureBacklog(
  environment: Record<string, string>,
  queued: number,
): Promise<number> {
  const work = await StoreWork.open(environment, await takeSample(environment));
  try {
    await queueMany(work, queued);
    const times: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const { claimed, milliseconds } = await work.dispatch(1);
      if (claimed === 0) throw new Error('nothing was due');
      times.push(milliseconds);
    }
    return percentile(times, 0.5);
  } finally {
    await work.close();
  }
}

/** Accepts messages and delivers none. */
export async function queueMany(work: StoreWork, queued: number): Promise<void> {
  for (let i = 0; i < queued; i += MAX_BATCH) {
    await work.accept(recipientsOf(Math.min(MAX_BATCH, queued - i), Math.ceil(queued / 10), i));
  }
}

export async function report(bench: Bench): Promise<void> {
  const many = bench.options.most ?? 1_000_000;
  const large = bench.embedded();
  const rows: string[][] = [];
  for (const { name, isEmbedded, open } of bench.stores) {
    bench.progress(`backlog: ${name}`);
    const few = await measureBacklog(await open(), 1_000);
    const all = await measureBacklog(isEmbedded ? large : await open(), many);
    rows.push([name, `${few.toFixed(2)} ms`, `${all.toFixed(2)} ms`, ratio(all, few)]);
  }
  bench.report(
    [
      'finding and starting the next message',
      'with 1,000 queued',
      `with ${many.toLocaleString('en')}`,
      'ratio',
    ],
    rows,
  );
  const { ready, megabytes = 0 } = await measureStart(large.SWITCHBOARD_DATABASE);
  bench.say(
    `start with this backlog: ready after ${Math.round(ready)} ms, ${Math.round(megabytes)} MB resident\n`,
  );
}
