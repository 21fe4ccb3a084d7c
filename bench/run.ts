import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { formatKeyRing, generateRingKey } from '../src/lib/seal.ts';
import { type Postgres, startPostgres } from '../test/support/postgres.ts';
import { measureBacklog } from './backlog.ts';
import { measureLatency } from './latency.ts';
import { measureNeighbour } from './neighbour.ts';
import { measureStart } from './start.ts';
import { BLOWS, measureTakeover } from './takeover.ts';
import { measureThroughput } from './throughput.ts';

/*
 * npm run bench [-- SUBJECT…]: measures, and prints tables. Without a subject, all of them: start, throughput,
 * latency, backlog, neighbour, takeover. What is compared is measured in one run, in turns, and the middle one is
 * shown: these figures are to be compared with each other, not with those of another machine.
 */
const SUBJECTS = ['start', 'throughput', 'latency', 'backlog', 'neighbour', 'takeover'] as const;
type Subject = (typeof SUBJECTS)[number];

const option = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
};
const isSubject = (word: string): word is Subject => SUBJECTS.some((one) => one === word);
const asked = process.argv.slice(2).filter(isSubject);
const isWanted = (subject: Subject) => asked.length === 0 || asked.includes(subject);

const say = (text: string) => process.stdout.write(`${text}\n`);
const progress = (text: string) => process.stderr.write(`${text}\n`);
const ms = (value: number | undefined) => (value === undefined ? '' : value.toFixed(1));

const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
let files = 0;
const embedded = () => ({ SWITCHBOARD_DATABASE: join(folder, `bench-${++files}.db`) });
let postgres: Promise<Postgres> | undefined;
/** The server starts when it is first needed, so as not to disturb what is measured before. */
const onPostgres = async () => {
  postgres ??= startPostgres({ max_connections: '100', shared_buffers: '256MB' });
  return {
    SWITCHBOARD_DATABASE: await (await postgres).createDatabase(),
    SWITCHBOARD_SECRET_KEYS: formatKeyRing([generateRingKey()]),
  };
};
const STORES = [
  ['embedded store', embedded],
  ['PostgreSQL', onPostgres],
] as const;

try {
  if (isWanted('start')) await start();
  if (isWanted('throughput')) {
    const rounds = option('rounds', 3);
    const seconds = option('seconds', 8);
    const connections = option('connections', 100);
    const table = { rounds, seconds, connections, progress };
    say(await measureThroughput({ ...table, store: 'embedded store', open: embedded }));
    say(await measureThroughput({ ...table, store: 'PostgreSQL', open: onPostgres }));
  }
  if (isWanted('latency')) await latency();
  if (isWanted('backlog')) await backlog();
  if (isWanted('neighbour')) await neighbour();
  if (isWanted('takeover')) await takeover();
} finally {
  await (await postgres)?.dispose();
  rmSync(folder, { recursive: true, force: true });
}

/** The first start makes the store and fills the compile cache; those after it are what people see. */
async function start(): Promise<void> {
  const { SWITCHBOARD_DATABASE: database } = embedded();
  await measureStart(database);
  const starts = [];
  for (let i = 0; i < 3; i++) starts.push(await measureStart(database));
  const [, middle] = starts.toSorted((a, b) => a.ready - b.ready);
  say('| ready after | resident when idle |\n|---|---|');
  say(`| ${Math.round(middle?.ready ?? 0)} ms | ${Math.round(middle?.megabytes ?? 0)} MB |\n`);
}

async function latency(): Promise<void> {
  progress('latency');
  say('| from the post to the request at the channel | p50 ms | p99 ms |\n|---|---|---|');
  for (const [name, open] of STORES) {
    const environment = await open();
    const { p50, p99 } = await measureLatency(environment);
    say(`| ${name} | ${ms(p50)} | ${ms(p99)} |`);
  }
  say('');
}

async function backlog(): Promise<void> {
  const many = option('queued', 1_000_000);
  const large = embedded();
  say(
    `| finding and starting the next message | with 1,000 queued | with ${many.toLocaleString('en')} | ratio |`,
  );
  say('|---|---|---|---|');
  for (const [name, open] of STORES) {
    progress(`backlog: ${name}`);
    const small = await measureBacklog(await open(), 1_000);
    const big = await measureBacklog(open === embedded ? large : await open(), many);
    const ratio = (big.turn / small.turn).toFixed(2);
    say(`| ${name} | ${small.turn.toFixed(2)} ms | ${big.turn.toFixed(2)} ms | ${ratio} |`);
  }
  const started = await measureStart(large.SWITCHBOARD_DATABASE);
  say(
    `\nwith them: ready after ${Math.round(started.ready)} ms, ${Math.round(started.megabytes ?? 0)} MB resident at work\n`,
  );
}

async function neighbour(): Promise<void> {
  say(
    '| a tenant beside one with 100,000 queued | alone, p50 ms | beside, p50 ms | ratio |\n|---|---|---|---|',
  );
  for (const [name, open] of STORES) {
    const environment = await open();
    progress(`neighbour: ${name}`);
    const { alone, beside } = await measureNeighbour(environment);
    say(`| ${name} | ${ms(alone)} | ${ms(beside)} | ${(beside / alone).toFixed(2)} |`);
  }
  say('');
}

async function takeover(): Promise<void> {
  say('| until another node sends | longest of three, s |\n|---|---|');
  const names = { SIGKILL: 'killed', SIGSTOP: 'stopped' };
  for (const blow of BLOWS) {
    progress(`takeover: ${names[blow]}`);
    const delays = await measureTakeover(blow, onPostgres);
    say(`| the first is ${names[blow]} | ${(Math.max(...delays) / 1000).toFixed(1)} |`);
  }
  say('');
}
