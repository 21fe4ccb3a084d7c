import { startPostgres } from '../support/postgres.ts';
import { killAgainAndAgain } from './killing.ts';

/* npm run fault:kill -- [--kills 200] [--messages 100000] [--engine sqlite|postgres] */
const option = (name: string, fallback: string) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : (process.argv[at + 1] ?? fallback);
};
const engine = option('engine', 'sqlite') === 'postgres' ? 'postgres' : 'sqlite';
const postgres =
  engine === 'postgres' ? await startPostgres({ max_connections: '300' }) : undefined;
if (postgres) process.env['TEST_POSTGRES'] = postgres.url;
try {
  const report = await killAgainAndAgain({
    engine,
    kills: Number(option('kills', '200')),
    messages: Number(option('messages', '100000')),
    progress: (text) => process.stderr.write(`\r${text}   `),
  });
  process.stderr.write('\n');
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const { lost, heldDuplicates, duplicates, inFlight } = report;
  if (lost > 0 || heldDuplicates > 0 || duplicates > inFlight) process.exitCode = 1;
} finally {
  await postgres?.dispose();
}
