import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import manifest from '../../package.json' with { type: 'json' };
import { requirement } from '../support/requirement.ts';
import { ROOT } from '../support/sources.ts';

/* The launcher and the command line on the other architecture, under emulation. */

const OTHERS = {
  x64: { cpu: 'arm64', emulator: 'qemu-aarch64', libraries: 'aarch64-linux-gnu', debian: 'arm64' },
  arm64: { cpu: 'x64', emulator: 'qemu-x86_64', libraries: 'x86_64-linux-gnu', debian: 'amd64' },
};
/** Too old to run the sources, so that the launcher must look for another. */
const STOCK_NODE = '20.19.6';

const other = process.arch === 'arm64' ? OTHERS.arm64 : OTHERS.x64;
const emulator = requirement(
  other.emulator,
  `apt-get install qemu-user libc6-${other.debian}-cross libstdc++6-${other.debian}-cross`,
);

describe(`on linux ${other.cpu}`, { skip: emulator.skip }, () => {
  let root = '';
  let folder = '';
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'switchboard-architecture-'));
    folder = join(root, 'project');
    const npm = (cwd: string, ...args: string[]) =>
      execFileSync('npm', [...args, `--cpu=${other.cpu}`, '--os=linux', '--ignore-scripts'], {
        cwd,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    for (const path of ['package.json', 'package-lock.json', '.npmrc', 'bin', 'src']) {
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
    for (const name of ['console', 'sdk', 'site']) {
      mkdirSync(join(folder, name));
      cpSync(join(ROOT, name, 'package.json'), join(folder, name, 'package.json'));
    }
    npm(folder, 'ci', '--omit=dev');
    const stock = `node-linux-${other.cpu}@${STOCK_NODE}`;
    npm(root, 'install', '--no-save', '--force', `--prefix=${root}`, stock);
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const bundled = () => join(folder, 'node_modules', `node-linux-${other.cpu}`, 'bin', 'node');
  const emulate = (node: string, ...args: string[]) =>
    execFileSync(emulator.path ?? '', ['-L', `/usr/${other.libraries}`, node, ...args], {
      cwd: folder,
      encoding: 'utf8',
    }).trim();

  it('the launcher of an old Node.js finds the bundled one', () => {
    const stock = join(root, 'node_modules', `node-linux-${other.cpu}`, 'bin', 'node');
    const script = "import('./bin/node.js').then(({ findNode }) => console.log(findNode()))";
    assert.equal(emulate(stock, '-e', script), bundled());
  });

  it('the command line runs', () => {
    assert.equal(emulate(bundled(), 'bin/switchboard.js', '--version'), manifest.version);
  });
});
