import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { ROOT } from '../support/sources.ts';

let isBuilt = false;

/** Builds the executable of this machine's architecture once; returns its path. */
export function buildExecutable(): string {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  if (!isBuilt) buildExecutables([arch]);
  isBuilt = true;
  return join(ROOT, 'dist', `switchboard-linux-${arch}`);
}

export function buildExecutables(architectures: readonly string[]): void {
  const script = join(ROOT, 'scripts', 'binary', 'build.ts');
  const options = ['--arch', architectures.join(',')];
  execFileSync(process.execPath, [script, ...options], { cwd: ROOT, stdio: 'ignore' });
}
