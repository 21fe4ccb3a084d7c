import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { formatKeyRing, generateRingKey } from '../src/lib/seal.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { type Measured, type Target, bareTarget, measure, serviceTarget } from './accept.ts';
import { type Start, measureStart } from './start.ts';

/*
 * npm run bench: how fast the service starts, and durable accepts a second on both stores beside a bare
 * Fastify POST, all in one run.
 * The targets take turns, several rounds, and the middle one of each is shown: these figures are to be
 * compared with each other, not with those of another machine.
 */
const option = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
};
const ROUNDS = option('rounds', 3);
const SECONDS = option('seconds', 8);
const CONNECTIONS = option('connections', 100);

const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
// The first start makes the store and fills the compile cache; those after it are what people see.
await measureStart(join(folder, 'start.db'));
const starts: Start[] = [];
for (let i = 0; i < 3; i++) starts.push(await measureStart(join(folder, 'start.db')));

const postgres = await startPostgres({ max_connections: '100', shared_buffers: '256MB' });
const targets: Target[] = [
  await bareTarget(),
  await serviceTarget('embedded store', { SWITCHBOARD_DATABASE: join(folder, 'bench.db') }),
  await serviceTarget('PostgreSQL', {
    SWITCHBOARD_DATABASE: await postgres.createDatabase(),
    SWITCHBOARD_SECRET_KEYS: formatKeyRing([generateRingKey()]),
  }),
];

const results = targets.map((): Measured[] => []);
try {
  for (const target of targets) await measure(target, CONNECTIONS, Math.min(SECONDS, 3));
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [i, target] of targets.entries()) {
      const measured = await measure(target, CONNECTIONS, SECONDS);
      results[i]?.push(measured);
      process.stderr.write(
        `round ${round}/${ROUNDS}  ${target.name}: ${Math.round(measured.perSecond)}/s\n`,
      );
    }
  }
} finally {
  for (const target of targets) await target.running.stop();
  await postgres.dispose();
  rmSync(folder, { recursive: true, force: true });
}

const middle = results.map(
  (own) => own.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(own.length / 2)],
);
const bare = middle[0]?.perSecond ?? 1;
const lines = [
  `| accepted by | accepts/s | ratio | p50 ms | p99 ms |`,
  `|---|---|---|---|---|`,
  ...middle.map((one, i) =>
    one
      ? `| ${targets[i]?.name} | ${Math.round(one.perSecond)} | ${(one.perSecond / bare).toFixed(2)} | ${one.p50} | ${one.p99} |`
      : '',
  ),
];
process.stdout.write(`${lines.join('\n')}\n`);

const [, start] = starts.toSorted((a, b) => a.ready - b.ready);
process.stdout.write(
  `\nready ${Math.round(start?.ready ?? 0)} ms after the start; ${Math.round(start?.megabytes ?? 0)} MB resident when idle\n`,
);
