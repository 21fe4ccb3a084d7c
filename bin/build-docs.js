// Builds the documentation into site/dist. Plain JavaScript, so that any Node.js can run it. With --if-possible, as used
// by `npm ci`, a failure only prints the reason, because the service runs without the documentation.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { locateNode } from './node.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const builder = join(root, 'site', 'build.ts');
const ifPossible = process.argv.includes('--if-possible');

/** @param {string} why */
function leaveOut(why) {
  process.stderr.write(`The documentation is not built: ${why}.\n`);
  process.exit(ifPossible ? 0 : 1);
}

function hasPackages() {
  try {
    const { resolve } = createRequire(builder);
    return ['shiki/package.json', 'vite/package.json'].every((name) => resolve(name) !== '');
  } catch {
    return false;
  }
}

if (!existsSync(builder)) leaveOut('its source is not in this package');
if (!hasPackages())
  leaveOut('its tools are not installed; npm ci without --omit=dev installs them');
const { status } = spawnSync(locateNode() ?? process.execPath, [builder], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) leaveOut('the build failed, see its output above');
