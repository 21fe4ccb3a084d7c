import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { ROOT, readSources } from '../sources.ts';
import { cachedBuild } from './cached-build.ts';

/** Builds the documentation, unless the current sources were built before. Returns its folder. */
export function buildDocs(): string {
  const sources = readSources(
    '*.md',
    'bench/measured*.json',
    'clients/python/README.md',
    'docs/**/*.md',
    'examples/**/*.md',
    'sdk/{README.md,openapi.json}',
    'site/*.{css,json,ts}',
    'site/{browser,diagrams,markdown,reference,style}/**/*',
    'src/http/pages/*.ts',
  );
  return cachedBuild('docs', sources, (folder) => {
    const args = [join(ROOT, 'site', 'build.ts'), '--out', folder];
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  });
}
