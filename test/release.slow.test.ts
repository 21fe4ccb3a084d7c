import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';

import { ROOT } from './support/sources.ts';

const SLOW = 'check,test,console,sdk';
const NEXT = '99.0.0';

/** A clone of this repository's committed state that may be changed. */
function clone(): Disposable & { folder: string; git(...args: string[]): string } {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-release-'));
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, folder]);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('config', 'user.name', 'Example');
  git('config', 'user.email', 'example@example.com');
  return { folder, git, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

function release(folder: string, ...args: string[]) {
  const script = join(ROOT, 'scripts', 'release.ts');
  return spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: 'utf8' });
}

it('a dry-run release leaves nothing behind except its packages', () => {
  using scratch = clone();
  const { folder, git } = scratch;
  const before = git('rev-parse', 'HEAD');
  const { status, stdout, stderr } = release(folder, NEXT, '--dry-run', '--leave-out', SLOW);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /99\.0\.0 could be released/);
  assert.deepEqual([git('status', '--porcelain'), git('tag')], ['', '']);
  assert.equal(git('rev-parse', 'HEAD'), before);
  assert.deepEqual(readdirSync(join(folder, 'dist')).toSorted(), [
    `switchboard-${NEXT}.cdx.json`,
    `switchboard-${NEXT}.tgz`,
  ]);
});

it('a release sets versions, dates the changelog, extracts its notes, commits and tags', () => {
  using scratch = clone();
  const { folder, git } = scratch;
  const { status, stderr } = release(folder, NEXT, '--leave-out', SLOW);
  assert.equal(status, 0, stderr);
  assert.deepEqual([git('status', '--porcelain'), git('tag').trim()], ['', `v${NEXT}`]);
  assert.equal(git('rev-parse', `v${NEXT}^{commit}`), git('rev-parse', 'HEAD'));
  assert.equal(git('log', '-1', '--format=%s').trim(), `Release ${NEXT}`);
  const json = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  for (const file of ['package.json', 'console/package.json', 'sdk/package.json']) {
    assert.equal(json(file).version, NEXT);
  }
  const { version, packages } = json('package-lock.json');
  const locked = [version, ...['', 'console', 'sdk'].map((path) => packages[path].version)];
  assert.deepEqual(locked, [NEXT, NEXT, NEXT, NEXT]);
  const today = new Date().toISOString().slice(0, 10);
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
  assert.ok(changelog.includes(`\n## ${NEXT}, ${today}\n`));
  const sbom = json(`dist/switchboard-${NEXT}.cdx.json`);
  assert.equal(sbom.bomFormat, 'CycloneDX');
  const names = sbom.components.map(({ name }: { name: string }) => name);
  assert.ok(names.includes('fastify') && !names.includes('fast-check'));
});

it('a release is refused when something is wrong and changes nothing', () => {
  using scratch = clone();
  const { folder, git } = scratch;
  const refused = (args: string[], why: RegExp) => {
    const { status, stderr } = release(folder, ...args);
    assert.equal(status, 1);
    assert.match(stderr, why);
  };
  refused([], /"" is not a version/);
  refused(['next'], /"next" is not a version/);
  refused(['0.0.1'], /0\.0\.1 is not after \d/);
  refused([NEXT, '--leave-out', 'nothing'], /there is no step nothing/);
  git('tag', `v${NEXT}`);
  refused([NEXT], /v99\.0\.0 is tagged already/);
  appendFileSync(join(folder, 'README.md'), 'changed');
  refused([NEXT], /not clean/);
  assert.equal(git('diff', '--stat', '--', 'package.json', 'CHANGELOG.md'), '');
});
