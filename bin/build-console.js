// Builds the console. Plain JavaScript, so that any Node.js can run it. With --if-possible, as used by `npm ci`, a
// failure only prints the reason, because the service runs without the console.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { locateNode } from './node.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'console');
const ifPossible = process.argv.includes('--if-possible');

/** @param {string} why */
function leaveOut(why) {
  process.stderr.write(`The console is not built: ${why}.\n`);
  process.exit(ifPossible ? 0 : 1);
}

/** Path of vite; undefined if it is not installed. */
function findVite() {
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve('vite/package.json');
    return join(dirname(manifest), 'bin', 'vite.js');
  } catch {
    return undefined;
  }
}

const vite = findVite();
if (!existsSync(join(folder, 'index.html'))) leaveOut('its source is not in this package');
if (!vite) leaveOut('vite is not installed; npm ci without --omit=dev installs it');
else {
  const args = [vite, 'build', 'console', '--logLevel', 'warn'];
  const { status } = spawnSync(locateNode() ?? process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) leaveOut('vite failed, see its output above');
}
