import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

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

/** Folders whose files take long by themselves. Of all others so many files share a process. */
const LONG = ['simulation', 'cli', 'console', 'faults', 'delivery'].map((name) =>
  join('test', name),
);
const TOGETHER = 8;
/** How many files may fail and be run again: with more of them something else is wrong. */
const MOST_AGAIN = 5;

/** Types are stripped and modules compiled once for all files, and where the service finds them too. */
const compiled = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));
const postgres = await startPostgres({ fsync: 'off', max_connections: '300' });
const folder = mkdtempSync(join(tmpdir(), 'switchboard-templates-'));
const templates = await makeTemplates(folder, await postgres.createDatabase());
const written = mkdtempSync(join(tmpdir(), 'switchboard-tests-'));
const environment = {
  ...process.env,
  ...templates,
  TEST_POSTGRES: postgres.url,
  NODE_COMPILE_CACHE: compiled,
};
let running: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => running?.kill(signal));
}

// More than most machines have cores: many tests wait for something most of the time.
let { code, failed } = await run(group(files), 5);
// What was too late on a busy machine has a second chance where nobody watches, alone; it is named, to be looked into.
if (code === 1 && process.env['CI'] && failed.length > 0 && failed.length <= MOST_AGAIN) {
  const names = failed.join('\n');
  process.stdout.write(`\nRun once more, one after the other:\n${names}\n\n`);
  ({ code, failed } = await run(failed, 1));
  if (code === 0) process.stdout.write(`\nFailed at first, look into them:\n${names}\n`);
}
await postgres.dispose();
for (const made of [folder, written]) rmSync(made, { recursive: true });
process.exitCode = code;

/** Answers how the runner ended, and the files in which something failed. */
async function run(
  paths: readonly string[],
  atOnce: number,
): Promise<{ code: number; failed: string[] }> {
  const report = join(written, 'failed-files');
  running = spawn(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${atOnce}`,
      '--test-timeout=600000',
      `--import=${beside('support/unfollowed.js')}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${beside('support/failed-files.js')}`,
      `--test-reporter-destination=${report}`,
      ...paths,
    ],
    { stdio: 'inherit', env: environment },
  );
  const [exit] = (await once(running, 'exit')) as [number | null];
  const names = readFileSync(report, 'utf8').split('\n');
  return { code: exit ?? 1, failed: [...new Set(names.filter((name) => name !== ''))] };
}

function beside(path: string): string {
  return new URL(path, import.meta.url).href;
}

/**
 * To load the service takes longer than most tests of it do, so a few files of a folder share a process: one that
 * imports them all stands for them. What takes long begins early, among others, so that nothing is left alone at the end.
 */
function group(paths: readonly string[]): string[] {
  const byFolder = Map.groupBy(paths, dirname);
  const long = LONG.map((name) => inParts(byFolder.get(name) ?? [], 1));
  const short = [...byFolder].flatMap(([name, own]) =>
    LONG.includes(name) ? [] : inParts(own, TOGETHER),
  );
  return inTurns([inTurns(long), short]).map(write);
}

/** The first of each list, then the second of each, and so on. */
function inTurns<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) =>
    lists.flatMap((list) => list.slice(i, i + 1)),
  ).flat();
}

function inParts<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/** They are run in the order of their names. */
function write(paths: readonly string[], place: number): string {
  const name = `${String(place).padStart(3, '0')}-${basename(dirname(paths[0] ?? ''))}.test.mjs`;
  const file = join(written, name);
  writeFileSync(file, paths.map((path) => `import '${pathToFileURL(path).href}';\n`).join(''));
  return file;
}
