import { Sealer, generateRingKey } from '../../src/lib/crypto/seal.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { DbQueue } from '../../src/store/sqlite/db-queue.ts';
import { sqliteEngine } from '../../src/store/sqlite/engine.ts';
import { execute } from '../../src/store/sqlite/execute.ts';
import type { ThreadRequest } from '../../src/store/sqlite/protocol.ts';
import { Store } from '../../src/store/store.ts';
import { exercise } from '../../test/support/store/exercise/exercise.ts';
import type { Bench } from '../harness/bench.ts';
import { figure } from '../harness/bench.ts';
import { MESSAGES, TENANTS, fillStore } from './large-store.ts';

/*
 * How long each statement of the embedded store blocks its thread, at the supported size. Calls every method of the store
 * for the tenant that has half of the messages.
 */

const ROUNDS = 3;
const GOAL_MS = 50;
const MIN_SHOWN = 12;

/** The longest time for which a statement blocked the thread, and its CPU time. */
interface Held {
  ms: number;
  cpuMs: number;
}

type Times = Map<string, Held>;

export async function report(bench: Bench): Promise<void> {
  const { rounds = ROUNDS, most = MESSAGES } = bench.options;
  const line = new TimedLine(bench.path('stalls.db'));
  const store = new Store(sqliteEngine(line), new Sealer([generateRingKey()]));
  await store.migrate();
  bench.progress(`stalls: ${most.toLocaleString('en')} messages`);
  const tenants = Math.min(TENANTS, most);
  const size = { tenants, messages: most };
  const subject = await fillStore(store, line.database, Date.now(), size);
  // Other processes disturb one round but not all, so the fastest round of each statement counts.
  const longest: Times = new Map();
  for (let round = 1; round <= rounds; round++) {
    bench.progress(`stalls: round ${round}/${rounds}`);
    line.times.clear();
    await exercise(store, subject);
    for (const [text, held] of line.times) {
      const before = longest.get(text);
      if (!before || held.ms < before.ms) longest.set(text, held);
    }
  }
  await store.close();
  const sorted = [...longest].toSorted(([, a], [, b]) => b.ms - a.ms);
  const over = sorted.filter(([, { ms }]) => ms > GOAL_MS).length;
  bench.report(
    ['the longest statements', 'ms', 'CPU ms'],
    sorted
      .slice(0, Math.max(MIN_SHOWN, over))
      .map(([text, { ms, cpuMs }]) => [`\`${short(text)}\``, figure(ms), figure(cpuMs)]),
  );
  bench.say(`${over} of ${sorted.length} statements took longer than ${GOAL_MS} ms.`);
}

const short = (text: string) =>
  text.replaceAll(/\s+/g, ' ').replaceAll('"', '').replaceAll('|', '\\|').trim().slice(0, 160);

/** Runs the store in this thread, and records the longest time of each request. */
class TimedLine extends DbQueue {
  readonly database: Database;
  readonly times: Times = new Map();

  constructor(path: string) {
    super();
    this.database = new Database(path);
  }

  async send<Value>(request: ThreadRequest): Promise<Value> {
    const [began, before] = [performance.now(), process.threadCpuUsage()];
    const value = execute(this.database, request) as Value;
    const ms = performance.now() - began;
    const { user, system } = process.threadCpuUsage(before);
    const text = request.kind === 'query' ? request.sql : request.kind;
    const held = this.times.get(text);
    if (!held || ms > held.ms) this.times.set(text, { ms, cpuMs: (user + system) / 1000 });
    return value;
  }

  close(): Promise<void> {
    return this.send({ kind: 'close' });
  }
}
