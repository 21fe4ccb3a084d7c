import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * Runs the tests of the client's package on Bun and Deno too. Both are downloaded into a temporary folder, because they
 * are large and nothing else needs them.
 */
const BUN = '1.4.4';
const DENO = '2.9.5';

const { platform, arch } = process;
if (!['linux', 'darwin'].includes(platform) || !['arm64', 'x64'].includes(arch)) {
  process.stderr.write(`Bun and Deno are not available for ${platform} on ${arch}.\n`);
  process.exit(1);
}
const bun = `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`;
const deno = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`;

const folder = mkdtempSync(join(tmpdir(), 'switchboard-runtimes-'));
const run = (command: string, args: string[], environment = {}) =>
  spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } }).status ??
  1;
try {
  const packages = [`${bun}@${BUN}`, `${deno}@${DENO}`];
  const options = ['--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts'];
  process.exitCode = run('npm', ['install', ...options, ...packages]);
  if (process.exitCode === 0) {
    const at = (name: string, file: string) => join(folder, 'node_modules', name, file);
    const runtimes = [`${at(bun, 'bin/bun')} run`, `${at(deno, 'deno')} run -A`];
    process.exitCode = run(process.execPath, ['--test', 'test/sdk/package.slow.test.ts'], {
      SDK_RUNTIMES: runtimes.join('\n'),
    });
  }
} finally {
  rmSync(folder, { recursive: true });
}
