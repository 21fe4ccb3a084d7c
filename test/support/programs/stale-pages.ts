import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../sources.ts';

/* What `npm ci` built from files that have changed since. Tests would open the old pages. */

const BUILDS = [
  { script: 'build-console.js', output: 'console/dist/index.html', sources: ['console'] },
  { script: 'build-docs.js', output: 'site/dist/not-found.html', sources: ['docs', 'site'] },
];
const EXCLUDED = new Set(['dist', 'node_modules']);

/** Builds the console and the documentation again if a source is newer. */
export function buildStalePages(): void {
  for (const { script, output, sources } of BUILDS) {
    const built = modified(output);
    const isStale = (folder: string) =>
      globSync(`${folder}/**`, {
        cwd: ROOT,
        exclude: (path) => EXCLUDED.has(path.split('/').at(-1) ?? ''),
      }).some((path) => modified(path) > built);
    if (!sources.some(isStale)) continue;
    spawnSync(process.execPath, [join(ROOT, 'bin', script), '--if-possible'], { stdio: 'inherit' });
  }
}

/** 0 if there is no such file. A folder changes when its files are replaced, which says nothing. */
function modified(path: string): number {
  const stats = statSync(join(ROOT, path), { throwIfNoEntry: false });
  return stats?.isFile() === true ? stats.mtimeMs : 0;
}
