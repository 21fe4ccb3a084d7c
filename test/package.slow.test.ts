import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';

import { commandLine } from './support/programs/command.ts';
import { ROOT, listRepository } from './support/sources.ts';

/* The result of `npm pack`, as installed. */

const folder = mkdtempSync(join(tmpdir(), 'switchboard-package-'));
after(() => rmSync(folder, { recursive: true }));

const out = (program: string, args: readonly string[]) =>
  execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const [packed] = Object.values(
  JSON.parse(
    out('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]),
  ) as Record<string, { filename: string; files: { path: string }[] }>,
);
assert.ok(packed);
const { filename, files } = packed;
const paths = files.map(({ path }) => path);

it('the package contains the service with its documentation and nothing else', () => {
  const tops = new Set(paths.map((path) => path.split('/', 1)[0] ?? ''));
  assert.deepEqual([...tops].toSorted(), [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'bin',
    ...(existsSync(join(ROOT, 'console/dist')) ? ['console'] : []),
    'deploy',
    'examples',
    'package.json',
    'sdk',
    ...(existsSync(join(ROOT, 'site/dist')) ? ['site'] : []),
    'src',
    'webchat',
  ]);
  assert.deepEqual(
    paths.filter((path) =>
      /^(?!examples\/).*\.test\.|^site\/(?!dist\/)|^bin\/(?:build|run)|^sdk\/(?!src\/|README|LICENSE)/.test(
        path,
      ),
    ),
    [],
  );
  const known = new Set(listRepository());
  const built = /^(?:console|site)\/dist\//;
  const strange = paths.filter((path) => !known.has(path) && !built.test(path));
  assert.deepEqual(strange, [], 'an untracked file may contain a secret');
});

it('the installed package runs', async () => {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder]);
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  renameSync(join(folder, 'package'), join(modules, 'switchboard'));
  const program = join(modules, 'switchboard', 'bin', 'switchboard.js');
  const launcher = [process.execPath, program] as const;
  await using cli = await commandLine('sqlite');
  const service = await cli.serve({ launcher });
  for (const path of [
    '/readyz',
    '/docs',
    '/docs/observing',
    '/docs/examples',
    '/docs/sdk',
    '/openapi.json',
    '/webmessenger.js',
  ]) {
    const { status } = await fetch(`${service.url}${path}`);
    assert.equal(status, 200, path);
  }
  const token = await cli.run(['token'], { launcher });
  assert.deepEqual([token.code, token.stderr], [0, '']);
  assert.equal((await service.stop()).code, 0);
  assert.doesNotMatch(service.process.stderr, /Warning/);
  // npm scripts need a checkout.
  assert.match(service.process.stderr, /npx switchboard token/);
  assert.doesNotMatch(service.process.stderr, /npm run/);
  // A global installation links the program from a folder in PATH.
  const link = join(folder, 'switchboard');
  symlinkSync(program, link);
  const linked = await cli.serve({ launcher: [process.execPath, link] });
  assert.equal((await linked.stop()).code, 0);
  assert.match(linked.process.stderr, /switchboard token/);
  assert.doesNotMatch(linked.process.stderr, /npx/);
});
