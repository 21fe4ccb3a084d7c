import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/* The Node.js that becomes the executable: the package that the lock file names, for any architecture. */

export const ARCHITECTURES = ['x64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

interface Locked {
  version: string;
  integrity: string;
}

/** Copies the runtime to a file. That of another architecture comes from the registry, and must match the lock file. */
export function copyRuntime(root: string, architecture: Architecture, target: string): void {
  const name = `node-linux-${architecture}`;
  const installed = join(root, 'node_modules', name, 'bin', 'node');
  if (existsSync(installed)) return copyFileSync(installed, target);
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-runtime-'));
  try {
    const { version, integrity } = lockedVersion(root, name);
    const packing = ['pack', `${name}@${version}`, '--pack-destination', folder];
    execFileSync('npm', packing, { stdio: ['ignore', 'ignore', 'inherit'] });
    const archive = join(folder, `${name}-${version}.tgz`);
    const found = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (`sha512-${found}` !== integrity) throw new Error(`${name} differs from the lock file`);
    execFileSync('tar', ['-xzf', archive, '-C', folder, 'package/bin/node']);
    const unpacked = join(folder, 'package', 'bin', 'node');
    copyFileSync(unpacked, `${target}.new`);
    renameSync(`${target}.new`, target);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function lockedVersion(root: string, name: string): Locked {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const found = lock.packages[`node_modules/${name}`];
  if (!found) throw new Error(`${name} is not in package-lock.json`);
  return found;
}
