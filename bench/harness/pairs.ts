import { middle } from './bench.ts';
import { type StoreWork, recipientsOf } from './store-work.ts';

/*
 * Compares two stores that differ in one thing. Both get the same groups of messages in turn, and which one is first
 * alternates, so that a slow moment of the machine does not count for one of them only. Each round opens both again: where
 * the memory and the thread of a store happen to be makes up to 5 % until it is closed.
 */

/** Milliseconds per message, of two stores at nearly the same moment. */
interface Pair {
  none: number;
  many: number;
}

export type Stores = Readonly<Record<keyof Pair, StoreWork>>;

interface PairOptions {
  rounds: number;
  /** Groups per round, and messages per group. */
  groups: number;
  group: number;
  /** Recipients to choose from. */
  recipients: number;
  progress(round: number): void;
}

export interface Compared {
  accept: string[];
  deliver: string[];
}

/** The columns of both measurements: milliseconds without, with, and the ratio. */
export async function compare(stores: Stores, options: PairOptions): Promise<Compared> {
  const accepts: Pair[] = [];
  const deliveries: Pair[] = [];
  let seed = 1;
  // The first round is a warm-up and does not count.
  for (let round = 0; round <= options.rounds; round++) {
    const [first, second] =
      round % 2 === 0 ? (['none', 'many'] as const) : (['many', 'none'] as const);
    await stores[first].reopen();
    await stores[second].reopen();
    const found = await measureRound(stores, options, seed);
    seed += options.groups * options.group;
    if (round > 0) {
      accepts.push(...found.accepts);
      deliveries.push(...found.deliveries);
    }
    options.progress(round);
  }
  return { accept: columnsOf(accepts), deliver: columnsOf(deliveries) };
}

async function measureRound(
  stores: Stores,
  { groups, group, recipients }: PairOptions,
  seed: number,
): Promise<{ accepts: Pair[]; deliveries: Pair[] }> {
  const accepts: Pair[] = [];
  const deliveries: Pair[] = [];
  for (let i = 0; i < groups; i++) {
    const to = recipientsOf(group, recipients, seed + i * group);
    accepts.push(await inTurn(i, group, (store) => stores[store].accept(to)));
  }
  for (let i = 0; i < groups; i++) {
    const claim = async (store: keyof Pair) => (await stores[store].dispatch(group)).milliseconds;
    deliveries.push(await inTurn(i, group, claim));
  }
  await stores.none.drain(group);
  await stores.many.drain(group);
  return { accepts, deliveries };
}

async function inTurn(
  i: number,
  group: number,
  run: (store: keyof Pair) => Promise<number>,
): Promise<Pair> {
  const isSwapped = i % 2 === 1;
  const first = await run(isSwapped ? 'many' : 'none');
  const second = await run(isSwapped ? 'none' : 'many');
  const [none, many] = isSwapped ? [second, first] : [first, second];
  return { none: none / group, many: many / group };
}

function columnsOf(pairs: readonly Pair[]): string[] {
  const none = middle(pairs.map((pair) => pair.none));
  const many = middle(pairs.map((pair) => pair.many));
  const factor = middle(pairs.map((pair) => pair.many / pair.none));
  return [none.toFixed(3), many.toFixed(3), factor.toFixed(2)];
}
