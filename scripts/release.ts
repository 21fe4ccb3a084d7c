import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/*
 * `npm run release -- 0.2.0 [--dry-run]`, in a clean checkout: sets the version, dates the changelog, checks and tests,
 * builds, packs, writes the bill of materials, commits and tags. It pushes nothing. A dry run does all of it but the
 * commit and the tag. Whatever fails, the files are put back as they were.
 */

const MANIFESTS = ['package.json', 'console/package.json', 'sdk/package.json'];
const LOCK = 'package-lock.json';
const CHANGELOG = 'CHANGELOG.md';
const CHANGED = [...MANIFESTS, LOCK, CHANGELOG];
const OUT = 'dist';

/** What takes long, by the name by which it may be left out. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  check: ['run', '-s', 'check'],
  test: ['test'],
  console: ['run', '-s', 'build:console'],
  sdk: ['run', '-s', 'build', '--workspace', 'sdk'],
};

const UNRELEASED = /^## \S+, not yet released$/m;

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Why this cannot be released; undefined when it can. */
function objection(version: string): string | undefined {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return `"${version}" is not a version such as 0.2.0`;
  const current = readVersion();
  if (current !== version && !isLater(version, current))
    return `${version} is not after ${current}`;
  if (run('git', 'status', '--porcelain') !== '') return 'the tree is not clean: commit first';
  if (run('git', 'tag', '--list', `v${version}`) !== '') return `v${version} is tagged already`;
  if (!UNRELEASED.test(readFileSync(CHANGELOG, 'utf8'))) {
    return `${CHANGELOG} has no section that is not yet released`;
  }
  return undefined;
}

function readVersion(): string {
  return (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
}

function isLater(version: string, than: string): boolean {
  const [a, b] = [version, than].map((one) => one.split('.').map(Number));
  const at = a?.findIndex((part, i) => part !== b?.[i]) ?? -1;
  return at !== -1 && (a?.[at] ?? 0) > (b?.[at] ?? 0);
}

interface Lock {
  version: string;
  packages: Record<string, { version?: string }>;
}

function setVersion(version: string): void {
  for (const file of MANIFESTS) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/^ {2}"version": "[^"]*"/m, `  "version": "${version}"`));
  }
  const lock = JSON.parse(readFileSync(LOCK, 'utf8')) as Lock;
  lock.version = version;
  for (const path of ['', 'console', 'sdk']) Object.assign(lock.packages[path] ?? {}, { version });
  writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
}

function dateChangelog(version: string): void {
  const today = new Date().toISOString().slice(0, 10);
  const text = readFileSync(CHANGELOG, 'utf8');
  writeFileSync(CHANGELOG, text.replace(UNRELEASED, `## ${version}, ${today}`));
}

/** The package, and what is in it, in `dist/`, which git ignores. */
function pack(version: string): void {
  mkdirSync(OUT, { recursive: true });
  run('npm', 'pack', '--ignore-scripts', '--pack-destination', OUT);
  const sbom = run(
    'npm',
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--omit',
    'dev',
    '--package-lock-only',
  );
  writeFileSync(`${OUT}/switchboard-${version}.cdx.json`, sbom);
}

function release(version: string, isDry: boolean, left: ReadonlySet<string>): void {
  try {
    setVersion(version);
    dateChangelog(version);
    for (const [name, args] of Object.entries(STEPS)) if (!left.has(name)) run('npm', ...args);
    pack(version);
    if (isDry) return;
    run('git', 'commit', '--quiet', '--message', `Release ${version}`, '--', ...CHANGED);
    run('git', 'tag', '--annotate', '--message', `Release ${version}`, `v${version}`);
  } finally {
    // What was committed is as it was committed.
    run('git', 'checkout', '--quiet', '--', ...CHANGED);
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean' }, 'leave-out': { type: 'string' } },
});
const [version = ''] = positionals;
const left = new Set(values['leave-out']?.split(','));
const isDry = values['dry-run'] === true;
const unknown = [...left].find((name) => !(name in STEPS));
const why =
  unknown === undefined
    ? // What was not tried may be looked at, but not released by accident.
      objection(version)
    : `there is no step ${unknown}: ${Object.keys(STEPS).join(', ')}`;
if (why !== undefined) {
  process.stderr.write(`release: ${why}\n`);
  process.exitCode = 1;
} else {
  release(version, isDry, left);
  const done = isDry
    ? 'could be released'
    : `is committed and tagged; git push origin HEAD v${version}`;
  process.stdout.write(`${version} ${done}. See ${OUT}/.\n`);
}
