import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { buildStalePages } from './support/programs/stale-pages.ts';
import { startPostgres } from './support/store/postgres.ts';
import { makeTemplates } from './support/store/templates.ts';

/*
 * Runs the tests against one real PostgreSQL; each test creates a database of its own.
 *
 *   npm test                      everything a developer needs at each change
 *   npm test -- --channel NAME    the tests of one channel, and those with a row for each channel
 *   npm run test:slow             the rest: files named *.slow.test.ts
 *   npm test -- PATTERN           files of both kinds whose path contains PATTERN
 *   npm run test:slow -- PATTERN  only slow ones
 */
const { values, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: { slow: { type: 'boolean', default: false }, channel: { type: 'string' } },
});
/** Folders whose tests on PostgreSQL are slow ones: they start a service, and create a database, for each test. */
const SPLIT = [
  'access',
  'background',
  'channels',
  'chat',
  'consent',
  'delivery',
  'events',
  'interface',
  'operation',
  'people',
  'routes',
  'sandbox',
  'scheduling',
  'sdk',
  'statistics',
  'templates',
].map((name) => join('test', name));
const isSlow = (file: string) => file.endsWith('.slow.test.ts');
const isWhole = patterns.length > 0 && !values.slow;
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], {
  exclude: (path) => basename(path) === 'node_modules',
})
  .toSorted()
  .filter((file) => values.channel === undefined || isOfChannel(file, values.channel))
  .filter((file) => patterns.length === 0 || patterns.some((part) => file.includes(part)))
  .filter((file) => isWhole || isSlow(file) === values.slow || (values.slow && isSplit(file)));
if (files.length === 0) {
  process.stderr.write('No test file matches.\n');
  process.exit(1);
}

/** Folders whose files take long, as slow files do. Those get a process each; the others share one in groups. */
const LONG = ['simulation', 'cli', 'console'].map((name) => join('test', name));
const FILES_PER_PROCESS = 16;
/** Take longest of all, and mostly wait for other programs, so they start first. */
const LONGEST = ['matrix', 'debian'].map((name) => `test/install/${name}.slow.test.ts`);
/** Ends the name of a file that says that a group has finished. */
const FINISHED = '.finished';
/** More than most machines have cores: many tests wait for something most of the time. */
const PROCESSES = 5;

buildStalePages();
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
const grouped = group(files);
const progress = showProgress(grouped.length);
const runner = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${PROCESSES}`,
    '--test-timeout=600000',
    `--import=${beside('support/untracked-promises.js')}`,
    '--test-reporter=spec',
    ...grouped,
  ],
  { stdio: 'inherit', env: environment },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal));
const [code] = (await once(runner, 'exit')) as [number | null];
progress.close();
await postgres.dispose();
for (const made of [folder, written]) rmSync(made, { recursive: true });
process.exitCode = code ?? 1;

/** Whether a file tests this channel: its own tests, and those with a row for each channel. */
function isOfChannel(path: string, name: string): boolean {
  return (
    path.includes(`channels/${name}/`) ||
    /channels\/[^/]+\.test\.ts$/.test(path) ||
    /\bCHANNELS\b.*\bchannels\/index\.ts|\bJUDGES\b|\bPAGES\b.*\bgenerate\.ts/.test(
      readFileSync(path, 'utf8'),
    )
  );
}

function beside(path: string): string {
  return new URL(path, import.meta.url).href;
}

/**
 * Loading the service takes longer than most tests of it, so a few files share a process: a file that imports them all.
 * Long ones start early, between the others, so that none is left running alone at the end.
 */
function group(paths: readonly string[]): string[] {
  const isLong = (path: string) => isSlow(path) || LONG.includes(dirname(path));
  const longest = paths.filter((path) => LONGEST.includes(path));
  const others = paths.filter((path) => isLong(path) && !LONGEST.includes(path));
  const long = [...Map.groupBy(others, dirname).values()];
  const short = Map.groupBy(
    paths.filter((path) => !isLong(path)),
    (path) => `${kindOf(path)} ${isSplit(path)}`,
  );
  const groups = interleave([
    interleave(long).map((path) => [path]),
    [...short.values()].flatMap((own) => chunk(own, FILES_PER_PROCESS)),
  ]);
  return [...longest.map((path) => [path]), ...groups].map(write);
}

/** Tests beside the code and of channels load less than those of the service, and share no process with them. */
function kindOf(path: string): string {
  return /^(?:src|test\/channels|test)(?=\/)/.exec(path)?.[0] ?? path;
}

/** Whether a file has tests on both engines, of which those on PostgreSQL are slow. */
function isSplit(path: string): boolean {
  return (
    !isSlow(path) &&
    SPLIT.includes(dirname(path)) &&
    /\bENGINES\b|\bonEachEngine\b/.test(readFileSync(path, 'utf8'))
  );
}

/** The first of each list, then the second of each, and so on. */
function interleave<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) =>
    lists.flatMap((list) => list.slice(i, i + 1)),
  ).flat();
}

function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/** Results are printed in the order in which files were started, so a long one hides those after it. */
function showProgress(total: number) {
  let finished = 0;
  return watch(written, (kind, name) => {
    if (kind !== 'rename' || !name?.endsWith(FINISHED)) return;
    process.stderr.write(`${++finished} of ${total} groups of tests have finished\n`);
  });
}

/** The runner starts files in the order of their names. */
function write(paths: readonly string[], place: number): string {
  const topic = basename(dirname(paths[0] ?? ''));
  const name = `${String(place).padStart(3, '0')}-${topic}.test.mjs`;
  const file = join(written, name);
  // A group holds either split files or others.
  const isHalf = !isWhole && isSplit(paths[0] ?? '');
  const choice = `process.env.TEST_ENGINE="${values.slow ? 'postgres' : 'sqlite'}"`;
  const engine = isHalf ? `import 'data:text/javascript,${choice}';\n` : '';
  // Static imports: all files are loaded before the first test runs, so that loading cannot delay a test.
  const imports = paths.map((path) => `import '${pathToFileURL(path).href}';\n`);
  const end = `import fs from 'node:fs';
process.on('exit', () => fs.writeFileSync(${JSON.stringify(file + FINISHED)}, ''));\n`;
  writeFileSync(file, engine + imports.join('') + end);
  return file;
}
