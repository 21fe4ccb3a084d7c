import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/*
 * `npm run release -- 0.2.0 [--dry-run]`, in a clean checkout: sets the version, dates the changelog, checks, tests,
 * builds, packs, writes the software bill of materials, commits and tags. It does not push. A dry run does everything
 * except the commit and the tag. After a failure or a dry run, the changed files are restored.
 */

const MANIFESTS = ['package.json', 'console/package.json', 'sdk/package.json'];
const LOCK = 'package-lock.json';
const CHANGELOG = 'CHANGELOG.md';
const CHANGED = [...MANIFESTS, LOCK, CHANGELOG];
const OUT = 'dist';

/** The slow steps, by the name that --leave-out takes. */
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

/** Why this version cannot be released; undefined if it can. */
function objection(version: string): string | undefined {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return `"${version}" is not a version such as 0.2.0`;
  const current = readVersion();
  if (current !== version && !isLater(version, current))
    return `${version} is not after ${current}`;
  if (run('git', 'status', '--porcelain') !== '')
    return 'the working tree is not clean: commit first';
  if (run('git', 'tag', '--list', `v${version}`) !== '') return `v${version} is tagged already`;
  if (!UNRELEASED.test(readFileSync(CHANGELOG, 'utf8'))) {
    return `${CHANGELOG} has no unreleased section`;
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

/** Writes the package and its bill of materials to `dist/`, which git ignores. */
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
    // Has no effect after the commit.
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
    ? objection(version)
    : `there is no step ${unknown}; the steps are ${Object.keys(STEPS).join(', ')}`;
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
