import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import manifest from '../../package.json' with { type: 'json' };
import { clone, installedClone } from '../support/clone.ts';
import { requirement } from '../support/requirement.ts';

/* The files of a release, built twice: in other folders, time zones and languages, and with other file modes. */

const DPKG = requirement('dpkg-deb', 'apt-get install dpkg');
const skip = process.platform === 'linux' ? DPKG.skip : 'builds packages for Linux';
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const { version } = manifest;

function build(folder: string, umask: string, env: Record<string, string>): string {
  execFileSync('sh', ['-c', `umask ${umask} && npm run -s build:release -- --arch ${arch}`], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return join(folder, 'dist');
}

/** Checksums by file, from the files themselves. */
function sumsOf(folder: string): Map<string, string> {
  const files = readdirSync(folder).filter((file) => file !== 'SHA256SUMS');
  return new Map(
    files.toSorted().map((file) => {
      const content = readFileSync(join(folder, file));
      return [file, createHash('sha256').update(content).digest('hex')];
    }),
  );
}

it(
  'two builds of one commit are equal, with checksums, a bill of materials and notes',
  { skip },
  () => {
    using one = installedClone('release');
    using two = installedClone('release-elsewhere');
    const first = build(one.folder, '022', { TZ: 'UTC', LC_ALL: 'C' });
    const second = build(two.folder, '077', { TZ: 'Pacific/Auckland', LC_ALL: 'C.UTF-8' });
    const sums = sumsOf(first);

    const debian = arch === 'x64' ? 'amd64' : 'arm64';
    const expected = [
      `switchboard-${version}.cdx.json`,
      `switchboard-${version}.md`,
      `switchboard-${version}.tgz`,
      `switchboard-linux-${arch}`,
      `switchboard-sdk-${version}.tgz`,
      `switchboard_${version}_${debian}.deb`,
    ];
    assert.deepEqual([...sums.keys()], expected.toSorted());
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      cwd: first,
      stdio: 'ignore',
    });
    const listed = readFileSync(join(first, 'SHA256SUMS'), 'utf8').trim().split('\n');
    assert.deepEqual(
      listed.map((line) => line.split('  ')[1]),
      [...sums.keys()],
    );

    const bom = JSON.parse(readFileSync(join(first, `switchboard-${version}.cdx.json`), 'utf8'));
    assert.equal(bom.bomFormat, 'CycloneDX');
    const names = new Set(bom.components.map(({ name }: { name: string }) => name));
    // Of the service, of a dependency, of the runtime, of the console, of the font and of the search.
    const contained = ['fastify', 'light-my-request', `node-linux-${arch}`, 'react', 'minisearch'];
    for (const name of [...contained, 'inter']) {
      assert.ok(names.has(name) || names.has(`@fontsource-variable/${name}`), name);
    }
    for (const name of ['fast-check', 'vite', 'typescript', 'postject']) {
      assert.ok(!names.has(name), name);
    }

    const notes = readFileSync(join(first, `switchboard-${version}.md`), 'utf8');
    assert.ok(readFileSync(join(one.folder, 'CHANGELOG.md'), 'utf8').includes(notes));
    assert.doesNotMatch(notes, /^## /m);
    assert.equal(one.git('status', '--porcelain'), '');
    assert.deepEqual(sumsOf(second), sums);
  },
);

it('the bill of materials has every package that the service installs', () => {
  using scratch = clone();
  const script = join(scratch.folder, 'scripts', 'sbom.ts');
  const call = `import(${JSON.stringify(script)}).then(({ writeSbom }) => writeSbom('.', 'test', 0))`;
  execFileSync(process.execPath, ['--eval', call], { cwd: scratch.folder, stdio: 'inherit' });
  const bom = JSON.parse(readFileSync(join(scratch.folder, 'switchboard-test.cdx.json'), 'utf8'));
  const found = new Set(
    bom.components.map((one: { name: string; version: string }) => `${one.name}@${one.version}`),
  );
  const lock = JSON.parse(readFileSync(join(scratch.folder, 'package-lock.json'), 'utf8'));
  const missing = Object.entries<{ version: string; dev?: boolean; link?: boolean }>(lock.packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, one]) => `${path.split('node_modules/').at(-1)}@${one.version}`)
    .filter((name) => !found.has(name));
  assert.deepEqual(missing, []);
});
