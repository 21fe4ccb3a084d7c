import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import manifest from '../package.json' with { type: 'json' };
import { clone } from './support/clone.ts';
import { ROOT } from './support/sources.ts';

/** test/install/release-files.slow.test.ts builds the files. */
const SLOW = 'check,test,artifacts';
const NEXT = '99.0.0';

function release(folder: string, ...args: string[]) {
  const script = join(ROOT, 'scripts', 'release.ts');
  return spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: 'utf8' });
}

it('a dry-run release leaves the checkout as it was', () => {
  using scratch = clone();
  const { folder, git } = scratch;
  const before = git('rev-parse', 'HEAD');
  const { status, stdout, stderr } = release(folder, NEXT, '--dry-run', '--leave-out', SLOW);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /99\.0\.0 could be released/);
  assert.deepEqual([git('status', '--porcelain'), git('tag')], ['', '']);
  assert.equal(git('rev-parse', 'HEAD'), before);
});

it('a release sets versions, dates the changelog, commits and tags', () => {
  using scratch = clone();
  const { folder, git } = scratch;
  const { status, stderr } = release(folder, NEXT, '--leave-out', SLOW);
  assert.equal(status, 0, stderr);
  assert.deepEqual([git('status', '--porcelain'), git('tag').trim()], ['', `v${NEXT}`]);
  assert.equal(git('rev-parse', `v${NEXT}^{commit}`), git('rev-parse', 'HEAD'));
  assert.equal(git('log', '-1', '--format=%s').trim(), `Release ${NEXT}`);
  const json = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const workspaces = ['', 'console', 'sdk', 'site'];
  for (const path of workspaces) assert.equal(json(join(path, 'package.json')).version, NEXT);
  const { version, packages } = json('package-lock.json');
  const locked = new Set([version, ...workspaces.map((path) => packages[path].version)]);
  assert.deepEqual(locked, new Set([NEXT]));
  assert.equal(json('sdk/openapi.json').info.version, NEXT);
  const text = (file: string) => readFileSync(join(folder, file), 'utf8');
  assert.match(text('clients/python/pyproject.toml'), /^version = "99\.0\.0"$/m);
  assert.match(text('deploy/kubernetes/kustomization.yaml'), /^ {4}newTag: 99\.0\.0$/m);
  const today = new Date().toISOString().slice(0, 10);
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
  assert.ok(changelog.includes(`\n## [Unreleased]\n\n## [${NEXT}] - ${today}\n`));
  assert.ok(!existsSync(join(folder, 'dist')));
});

it('a release of a version that the changelog has already dates its section again', () => {
  using scratch = clone();
  const { folder, git } = scratch;
  const { version } = manifest;
  const { status, stderr } = release(folder, version, '--leave-out', SLOW);
  assert.equal(status, 0, stderr);
  assert.deepEqual([git('status', '--porcelain'), git('tag').trim()], ['', `v${version}`]);
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
  const headings = changelog.split('\n').filter((line) => line.startsWith('## '));
  const today = new Date().toISOString().slice(0, 10);
  assert.deepEqual(headings.slice(0, 2), ['## [Unreleased]', `## [${version}] - ${today}`]);
});

it('a release whose files cannot be built is undone', () => {
  using scratch = clone();
  const { folder, git } = scratch;
  const before = git('rev-parse', 'HEAD');
  // There are no packages to build with.
  const { status } = release(folder, NEXT, '--leave-out', 'check,test');
  assert.notEqual(status, 0);
  assert.deepEqual([git('status', '--porcelain'), git('tag')], ['', '']);
  assert.equal(git('rev-parse', 'HEAD'), before);
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
