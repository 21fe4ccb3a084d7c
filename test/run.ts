import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startPostgres } from './support/postgres.ts';
import { makeTemplates } from './support/templates.ts';

/*
 * Runs the tests with one real PostgreSQL for all of them; each test makes a database of its own.
 * `npm test -- PATTERN` runs the files whose path contains PATTERN.
 */
const wanted = process.argv.slice(2);
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
  .toSorted()
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)));
if (files.length === 0) {
  process.stderr.write('No test file matches.\n');
  process.exit(1);
}

/** Types are stripped and modules compiled once for all files, and where the service finds them too. */
const compiled = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));
const postgres = await startPostgres({ fsync: 'off', max_connections: '300' });
const folder = mkdtempSync(join(tmpdir(), 'switchboard-templates-'));
const templates = await makeTemplates(folder, await postgres.createDatabase());
// More than most machines have cores: many tests wait for something most of the time.
const tests = spawn(
  process.execPath,
  ['--test', '--test-concurrency=5', '--test-timeout=300000', ...files],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...templates,
      TEST_POSTGRES: postgres.url,
      NODE_COMPILE_CACHE: compiled,
    },
  },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
const code = await new Promise<number>((resolve) => tests.on('exit', (exit) => resolve(exit ?? 1)));
await postgres.dispose();
rmSync(folder, { recursive: true });
process.exitCode = code;
