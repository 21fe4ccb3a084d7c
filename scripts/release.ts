import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/*
 * `npm run release -- 0.2.0 [--dry-run]`, in a clean checkout: sets the version, dates the changelog, checks, tests,
 * commits, builds all files of the release (scripts/artifacts.ts) and tags. It does not push. Files are built from the
 * commit, so that anyone who builds the tag gets the same ones. A dry run does everything except the tag. After a failure
 * or a dry run, the checkout is as it was before.
 */

/** Where the version is written. */
const JSON_VERSION = /(?<=^ {2}"version": ")[^"]*/m;
const VERSIONS: Readonly<Record<string, RegExp>> = {
  'package.json': JSON_VERSION,
  'console/package.json': JSON_VERSION,
  'sdk/package.json': JSON_VERSION,
  'sdk/openapi.json': JSON_VERSION,
  'site/package.json': JSON_VERSION,
  'clients/python/pyproject.toml': /(?<=^version = ")[^"]*/m,
  'deploy/kubernetes/kustomization.yaml': /(?<=^ {4}newTag: ).*/m,
};
const LOCK = 'package-lock.json';
const CHANGELOG = 'CHANGELOG.md';

/** The slow steps, by the name that --leave-out takes; the last one runs after the commit. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  check: ['run', '-s', 'check'],
  test: ['test'],
  artifacts: ['run', '-s', 'build:release'],
};

const UNRELEASED = '## [Unreleased]\n';

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
  const changelog = readFileSync(CHANGELOG, 'utf8');
  if (!changelog.includes(UNRELEASED)) return `${CHANGELOG} has no "## [Unreleased]"`;
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
  for (const [file, pattern] of Object.entries(VERSIONS)) {
    const text = readFileSync(file, 'utf8');
    if (!pattern.test(text)) throw new Error(`${file} has no version`);
    writeFileSync(file, text.replace(pattern, version));
  }
  const lock = JSON.parse(readFileSync(LOCK, 'utf8')) as Lock;
  lock.version = version;
  for (const path of ['', 'console', 'sdk', 'site']) {
    Object.assign(lock.packages[path] ?? {}, { version });
  }
  writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
}

/** Dates the section of this version, or makes one of what is unreleased. */
function dateChangelog(version: string): void {
  const today = new Date().toISOString().slice(0, 10);
  const heading = `## [${version}] - ${today}\n`;
  const text = readFileSync(CHANGELOG, 'utf8');
  const prepared = new RegExp(`^## \\[${RegExp.escape(version)}\\] - .*\\n`, 'm');
  const dated = prepared.test(text)
    ? text.replace(prepared, heading)
    : text.replace(UNRELEASED, `${UNRELEASED}\n${heading}`);
  writeFileSync(CHANGELOG, dated);
}

function release(version: string, isDry: boolean, left: ReadonlySet<string>): void {
  const before = run('git', 'rev-parse', 'HEAD').trim();
  const step = (name: string) => {
    if (!left.has(name)) run('npm', ...(STEPS[name] ?? []));
  };
  let isDone = false;
  try {
    setVersion(version);
    dateChangelog(version);
    step('check');
    step('test');
    // The version may be set and dated already.
    run('git', 'commit', '--quiet', '--all', '--allow-empty', '--message', `Release ${version}`);
    step('artifacts');
    if (!isDry) run('git', 'tag', '--annotate', '--message', `Release ${version}`, `v${version}`);
    isDone = !isDry;
  } finally {
    // The checkout was clean, so this undoes the release only.
    if (!isDone) run('git', 'reset', '--quiet', '--hard', before);
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
  process.stdout.write(`${version} ${done}. Its files are in dist/.\n`);
}
