import { startPostgres } from '../support/store/postgres.ts';
import { crashPostgres } from './scenarios/crashing-postgres.ts';
import { cutConnections } from './scenarios/cutting.ts';
import { fillDisk } from './scenarios/filling-disk.ts';
import { killAgainAndAgain } from './scenarios/killing.ts';
import type { Progress } from './scenarios/load.ts';
import { crashBySending } from './scenarios/poison.ts';
import { promoteStandby } from './scenarios/promoting.ts';
import { repeatRequests } from './scenarios/repeating.ts';
import { troubleVendor } from './scenarios/slow-vendor.ts';
import { stopAgainAndAgain } from './scenarios/stopping.ts';

/*
 * npm run fault:NAME -- [--option value …]: runs one fault test in its long form. Prints figures; exits with 1 if a
 * guarantee is broken.
 */
interface Options {
  engine: 'sqlite' | 'postgres';
  progress: Progress;
  number(name: string, fallback: number): number;
}

const FAULTS: Record<string, (options: Options) => Promise<unknown>> = {
  connections: ({ progress, number }) =>
    cutConnections({
      nodes: number('nodes', 3),
      rounds: number('rounds', 100),
      messages: number('messages', 200),
      progress,
    }),
  disk: async ({ progress, number }) => {
    const [rounds, messages] = [number('rounds', 20), number('messages', 500)];
    const full = await fillDisk({ fault: 'full', rounds, messages, progress });
    return [full, await fillDisk({ fault: 'errors', rounds, messages, progress })];
  },
  hang: ({ engine, progress, number }) =>
    troubleVendor({ engine, trouble: 'hang', seconds: number('seconds', 60), progress }),
  idempotency: ({ engine, progress, number }) =>
    repeatRequests({
      engine,
      nodes: number('nodes', 1),
      rounds: number('rounds', 50),
      progress,
    }),
  kill: ({ engine, progress, number }) =>
    killAgainAndAgain({
      engine,
      nodes: number('nodes', 1),
      kills: number('kills', 200),
      messages: number('messages', 100_000),
      progress,
    }),
  poison: ({ engine, progress, number }) =>
    crashBySending({ engine, messages: number('messages', 2_000), progress }),
  postgres: ({ progress, number }) =>
    crashPostgres({
      nodes: number('nodes', 3),
      crashes: number('crashes', 20),
      messages: number('messages', 1_000),
      progress,
    }),
  promotion: ({ progress, number }) =>
    promoteStandby({ nodes: number('nodes', 3), messages: number('messages', 5_000), progress }),
  storm: ({ engine, progress, number }) =>
    troubleVendor({ engine, trouble: 'storm', seconds: number('seconds', 180), progress }),
  sigterm: ({ engine, progress, number }) =>
    stopAgainAndAgain({
      engine,
      stops: number('stops', 20),
      messages: number('messages', 500),
      progress,
    }),
};

const [name = '', ...rest] = process.argv.slice(2);
const fault = FAULTS[name];
if (!fault || rest.includes('--help')) {
  process.stderr.write(
    `npm run fault:NAME -- [--engine sqlite|postgres] [--nodes N] [--messages N] [--rounds N] [--kills N] ` +
      `[--stops N] [--crashes N] [--seconds N]\nNAME: ${Object.keys(FAULTS).join(', ')}\n`,
  );
  process.exit(fault ? 0 : 2);
}

const option = (wanted: string) => {
  const at = rest.indexOf(`--${wanted}`);
  return at === -1 ? undefined : rest[at + 1];
};
const number = (wanted: string, fallback: number) => Number(option(wanted) ?? fallback);
// Several nodes need PostgreSQL.
const isShared = option('engine') === 'postgres' || number('nodes', 1) > 1;
const engine = isShared ? 'postgres' : 'sqlite';
const server = isShared ? await startPostgres({ max_connections: '300' }) : undefined;
if (server) process.env['TEST_POSTGRES'] = server.url;
const since = performance.now();
try {
  const progress = (text: string) => process.stderr.write(`\r${text}   `);
  const report = await fault({ engine, progress, number });
  const seconds = Math.round((performance.now() - since) / 1000);
  process.stdout.write(`\n${JSON.stringify({ fault: name, report, seconds }, null, 2)}\n`);
} finally {
  await server?.dispose();
}
