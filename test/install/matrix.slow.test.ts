import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import manifest from '../../package.json' with { type: 'json' };
import sdkManifest from '../../sdk/package.json' with { type: 'json' };
import { Running } from '../support/programs/command.ts';
import { type Machine, openMachine } from './machine.ts';

/* The README's two commands and every script, with the versions of Node.js and npm that machines come with. */

const MACHINES = [
  { node: '20.19.6', npm: '9.2.0' },
  { node: '22.20.0', npm: '10.9.4' },
  { node: '24.21.0', npm: '11.19.1' },
];

interface Smoke {
  args?: readonly string[];
  /** The exit code; default 0. */
  code?: number;
  /** A word of the output that shows that the script itself ran. */
  prints?: RegExp;
  /** Takes long, or resembles another script: run on the first machine only. */
  firstOnly?: boolean;
}

const FAULT: Smoke = { args: ['--help'], prints: /--messages/, firstOnly: true };

/** The cheapest run of each script that still goes through the launcher and loads what the script loads. */
const SMOKE: Readonly<Record<string, Smoke>> = {
  switchboard: { args: ['--version'], prints: /^0\.|\n0\./ },
  test: { args: ['src/lib/crypto/password'], prints: /pass [1-9]/ },
  'test:slow': { args: ['no-such-file'], code: 1, prints: /No test file/ },
  'check:lint': { args: ['--version'] },
  'check:format': { args: ['bin'] },
  'check:layers': { prints: /pass [1-9]/, firstOnly: true },
  format: { args: ['--check', 'bin'] },
  'dev:console': { args: ['--version'], prints: /vite/ },
  docs: { firstOnly: true },
  bench: { args: ['--help'], code: 2, prints: /throughput/ },
  release: { code: 1, prints: /release:/ },
  'fault:connections': FAULT,
  'fault:disk': FAULT,
  'fault:hang': FAULT,
  'fault:idempotency': FAULT,
  'fault:kill': { ...FAULT, firstOnly: false },
  'fault:poison': FAULT,
  'fault:postgres': FAULT,
  'fault:promotion': FAULT,
  'fault:sigterm': FAULT,
  'fault:storm': FAULT,
};

/** Run by npm itself, by other scripts, by the tests below, or at length by other slow tests. */
const ELSEWHERE = [
  'start',
  'check',
  'check:types',
  'build:console',
  'build:docs',
  'prepare',
  'prepack',
  'build:binary',
  'build:deb',
  'build:release',
  'test:minimal',
  'sdk:runtimes',
  'fault:clock',
  'fault:fsync',
  'fault:pause',
];

/** The allowed beginnings of a script's commands. */
const LAUNCHED =
  /^(?:node (?:\.\.\/)?bin\/(?:run|switchboard|build-console|build-docs)\.js |npm run -s )/;

it('every script starts through the launcher and none relies on a link of npm', () => {
  const scripts = { ...manifest.scripts, ...sdkManifest.scripts };
  for (const [name, script] of Object.entries(scripts)) {
    for (const command of script.split(' && ')) {
      const isBuiltIn = command.startsWith('node -e ');
      assert.ok(isBuiltIn || LAUNCHED.test(`${command} `), `${name}: ${command}`);
    }
  }
  const tried = [...Object.keys(SMOKE), ...ELSEWHERE];
  assert.deepEqual(tried.toSorted(), Object.keys(manifest.scripts).toSorted());
});

for (const versions of MACHINES) {
  describe(`with Node.js ${versions.node} and npm ${versions.npm}`, () => {
    let machine: Machine;
    before(() => {
      machine = openMachine(versions);
    });
    after(() => machine[Symbol.dispose]());

    it('installs silently and builds the console and the documentation', () => {
      const { status, stdout, stderr } = machine.npm(['ci']);
      assert.equal(status, 0, stderr);
      assert.doesNotMatch(stdout + stderr, /EBADENGINE|deprecated/);
      assert.ok(existsSync(join(machine.folder, 'console', 'dist', 'index.html')));
      assert.ok(existsSync(join(machine.folder, 'site', 'dist', 'pages', 'start.html')));
    });

    it('starts', async () => {
      const data = join(machine.folder, 'data-of-test');
      mkdirSync(data);
      await using running = new Running(['start'], machine.folder, {
        launcher: [join(machine.environment['PATH']?.split(':')[0] ?? '', 'npm')],
        environment: {
          ...machine.environment,
          SWITCHBOARD_PORT: '0',
          SWITCHBOARD_DATABASE: join(data, 'switchboard.db'),
        },
      });
      const [url] = await running.printed('stdout', /http:\/\/[\w.]+:\d+/);
      assert.equal((await fetch(`${url}/readyz`)).status, 200);
      running.signalAll('SIGINT');
      await running.exited;
    });

    for (const [name, smoke] of Object.entries(SMOKE)) {
      const { args = [], code = 0, prints = /(?:)/, firstOnly = false } = smoke;
      if (firstOnly && versions !== MACHINES[0]) continue;
      it(`runs ${name}`, () => {
        const { status, stdout, stderr } = machine.npm(['run', name, '--', ...args]);
        assert.equal(status, code, stdout + stderr);
        assert.match(stdout + stderr, prints);
      });
    }

    it('runs the type checker', () => {
      const checker = ['bin/run.js', 'node_modules/typescript/bin/tsc', '--version'];
      const { folder: cwd, environment: env } = machine;
      const { status, stderr } = spawnSync('node', checker, { cwd, env, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    });

    const isNewest = versions === MACHINES.at(-1);
    if (versions !== MACHINES[0] && !isNewest) return;

    it('packs a built client', () => {
      const { status, stderr } = machine.npm(['pack', '-w', 'sdk']);
      assert.equal(status, 0, stderr);
      assert.ok(existsSync(join(machine.folder, 'sdk', 'dist', 'index.js')));
    });

    it('packs a service that npx starts', () => {
      // npm ci has built the console and the documentation; the newest npm shows that packing builds them too.
      const { status, stderr } = machine.npm(isNewest ? ['pack'] : ['pack', '--ignore-scripts']);
      assert.equal(status, 0, stderr);
      const [packed = ''] = globSync('switchboard-[0-9]*.tgz', { cwd: machine.folder });
      const elsewhere = join(machine.folder, '..', 'elsewhere');
      mkdirSync(elsewhere);
      const source = `--package=${join(machine.folder, packed)}`;
      const ran = machine.npm(
        ['exec', '--yes', source, '--', 'switchboard', '--version'],
        elsewhere,
      );
      assert.equal(ran.status, 0, ran.stderr);
      assert.match(ran.stdout, new RegExp(`^${manifest.version}\\s*$`));
    });

    if (!isNewest) return;

    // docs/upgrading.md has these steps.
    it('installs, upgrades, rolls back and uninstalls the package', () => {
      const [packed = ''] = globSync('switchboard-[0-9]*.tgz', { cwd: machine.folder });
      const folder = join(machine.folder, '..', 'global');
      const newer = join(machine.folder, packed);
      const older = join(folder, 'older.tgz');
      mkdirSync(folder);
      execFileSync('tar', ['-xzf', newer, '-C', folder]);
      const unpacked = join(folder, 'package', 'package.json');
      const text = readFileSync(unpacked, 'utf8');
      writeFileSync(
        unpacked,
        text.replace(`"version": "${manifest.version}"`, '"version": "0.0.1"'),
      );
      execFileSync('tar', ['-czf', older, '-C', folder, 'package']);
      const program = join(folder, 'prefix', 'bin', 'switchboard');
      const { environment: env } = machine;
      const npm = (...args: string[]) => {
        const options = ['--global', '--prefix', join(folder, 'prefix'), '--prefer-offline'];
        const { status, stderr } = machine.npm([...args, ...options], folder);
        assert.equal(status, 0, stderr);
      };
      const run = (...args: string[]) =>
        execFileSync(program, args, { cwd: folder, env, encoding: 'utf8' }).trim();
      const users = () => run('user', 'list');

      npm('install', older);
      assert.equal(run('--version'), '0.0.1');
      run('init');
      const atFirst = users();
      assert.match(atFirst, /admin/);
      npm('install', newer);
      assert.deepEqual([run('--version'), users()], [manifest.version, atFirst]);
      npm('install', older);
      assert.deepEqual([run('--version'), users()], ['0.0.1', atFirst]);
      npm('uninstall', 'switchboard');
      assert.ok(!existsSync(program));
      assert.ok(existsSync(join(folder, 'data', 'switchboard.db')), 'the store is kept');
    });
  });
}
