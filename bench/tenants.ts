import { type Bench, figure, ratio } from './harness/bench.ts';
import { endedAfter } from './harness/cleanup.ts';
import { startProcess } from './harness/processes.ts';
import { type Idle, measureIdle, measureTakeover } from './tenants/idle.ts';
import { type Rates, measureRates } from './tenants/rates.ts';
import { createTenants } from './tenants/tenants.ts';

/*
 * The cost of many mostly idle tenants: applications with one integration each, and one message to each in turn.
 */

const SIZES = [100, 1_000, 10_000];
/** With --full: takes ten minutes more for each store. */
const FULL_SIZES = [...SIZES, 50_000];
const SECONDS = 8;
/** Below this, the first message of each takes too little time to measure. */
const MIN_FIRST = 1_000;

interface Measured extends Idle, Rates {
  tenants: number;
  created: number;
  takeoverMs: number;
}

export async function report(bench: Bench): Promise<void> {
  const { most = Infinity, full } = bench.options;
  const sizes = (full ? FULL_SIZES : SIZES).filter((size) => size <= most);
  for (const { name, open } of bench.stores) {
    const found: Measured[] = [];
    for (const tenants of sizes) {
      bench.progress(`tenants: ${name}, ${tenants.toLocaleString('en')}`);
      const measured = await endedAfter(async () => measure(bench, await open(), tenants));
      const { accepted, delivered } = measured;
      bench.progress(`  ${figure(accepted)} accepted/s, ${figure(delivered)} delivered/s`);
      found.push(measured);
    }
    reportRates(bench, name, found);
    reportIdle(bench, name, found);
  }
}

async function measure(
  bench: Bench,
  environment: Record<string, string>,
  tenants: number,
): Promise<Measured> {
  const { seconds = SECONDS } = bench.options;
  const sink = await startProcess('bench/harness/sink.ts', []);
  const { tenants: all, perSecond: created } = await createTenants(environment, sink, tenants);
  const idle = await measureIdle(environment, tenants);
  const takeoverMs = await measureTakeover(environment, tenants);
  await bench.analyze();
  const rates = await measureRates(environment, sink, all, seconds);
  return { tenants, created, takeoverMs, ...idle, ...rates };
}

function reportRates(bench: Bench, store: string, found: readonly Measured[]): void {
  const [few] = found;
  bench.report(
    [
      store,
      'created/s',
      'first accepted/s',
      'accepted/s',
      'ratio',
      'accepted and delivered/s',
      'ratio',
    ],
    found.map(({ tenants, created, firstAccepted, accepted, delivered }) => [
      tenants.toLocaleString('en'),
      figure(created),
      tenants < MIN_FIRST ? '' : figure(firstAccepted),
      figure(accepted),
      ratio(accepted, few?.accepted ?? accepted),
      figure(delivered),
      ratio(delivered, few?.delivered ?? delivered),
    ]),
  );
}

function reportIdle(bench: Bench, store: string, found: readonly Measured[]): void {
  const [few] = found;
  const each = ({ tenants, bytes }: Measured) =>
    few && tenants > few.tenants
      ? figure((bytes - few.bytes) / 1000 / (tenants - few.tenants))
      : '';
  bench.report(
    [store, 'ready, s', 'owns all, s later', 'idle CPU, %', 'MB', 'kB each', 'takeover, s'],
    found.map((one) => [
      one.tenants.toLocaleString('en'),
      figure(one.readyMs / 1000),
      figure(one.ownsAllMs / 1000),
      figure(one.cpu * 100),
      figure(one.bytes / 1e6),
      each(one),
      figure(one.takeoverMs / 1000),
    ]),
  );
}
