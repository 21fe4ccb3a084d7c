import { readConfig } from '../src/config.ts';
import { openStore } from '../src/setup.ts';
import { type Bench, middle, ratio } from './harness/bench.ts';
import { type Sample, takeSample } from './harness/sample.ts';
import { StoreWork, recipientsOf } from './harness/store-work.ts';

/*
 * The cost of accepting and delivering a plain message with many consents, beside that with none. Measured at the store,
 * in groups as at a moderate load. Both stores alternate, so that a slow moment of the machine concerns both.
 */

const CONSENTS = 100_000;
const PER_COMMIT = 5_000;
const GROUPS = 40;
const GROUP = 10;
const RECIPIENTS = 10_000;
const ROUNDS = 9;

interface Costs {
  /** Milliseconds per message. */
  accept: number;
  deliver: number;
}

export async function report(bench: Bench): Promise<void> {
  const { rounds = ROUNDS } = bench.options;
  const rows: string[][] = [];
  for (const { name, open } of bench.stores) {
    const empty = await opened(await open(), 0);
    const full = await opened(await open(), CONSENTS);
    const found: { empty: Costs; full: Costs }[] = [];
    // The first round is a warm-up and does not count.
    for (let round = 0; round <= rounds; round++) {
      const one = { empty: await acceptAndDeliver(empty), full: await acceptAndDeliver(full) };
      if (round > 0) found.push(one);
      bench.progress(`round ${round}/${rounds}  consents, ${name}`);
    }
    for (const step of ['accept', 'deliver'] as const) {
      const none = middle(found.map((one) => one.empty[step]));
      const many = middle(found.map((one) => one.full[step]));
      rows.push([`${step}, ${name}`, none.toFixed(3), many.toFixed(3), ratio(many, none)]);
    }
    await empty.close();
    await full.close();
  }
  const most = CONSENTS.toLocaleString('en');
  bench.report(['', 'without consents, ms', `with ${most}, ms`, 'ratio'], rows);
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

async function acceptAndDeliver(work: StoreWork): Promise<Costs> {
  const accepts: number[] = [];
  const rounds: number[] = [];
  for (let i = 0; i < GROUPS; i++) {
    seed += GROUP;
    accepts.push(await work.accept(recipientsOf(GROUP, RECIPIENTS, seed)));
  }
  for (;;) {
    const { claimed, milliseconds } = await work.dispatch(GROUP);
    if (claimed === 0) break;
    rounds.push(milliseconds);
  }
  return { accept: middle(accepts) / GROUP, deliver: middle(rounds) / GROUP };
}

/** Advances so that each round uses other recipients. */
let seed = 1;
