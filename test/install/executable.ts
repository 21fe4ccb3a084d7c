import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { cachedBuild } from '../support/programs/cached-build.ts';
import { ROOT, readSources } from '../support/sources.ts';

/** Files that are built before the executable and become part of it. */
const PAGES = ['console/dist/**/*', 'site/dist/**/*'];

/** Builds the executable, unless the current sources were built before. Returns its path. */
export function buildExecutable(architecture: string = process.arch): string {
  const sources = new Map(
    readSources(
      'package.json',
      'src/**/*.{js,ts}',
      'scripts/binary/**/*.ts',
      'docs/channels/setup/*.md',
      'webchat/*',
    ),
  );
  for (const path of globSync(PAGES, { cwd: ROOT })) {
    const file = join(ROOT, path);
    if (statSync(file).isFile()) sources.set(path, readFileSync(file, 'latin1'));
  }
  const name = `executable-${architecture}`;
  const folder = cachedBuild(name, sources, (out) => {
    const script = join(ROOT, 'scripts', 'binary', 'build.ts');
    const options = ['--arch', architecture, '--out', out];
    execFileSync(process.execPath, [script, ...options], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });
  return join(folder, `switchboard-linux-${architecture}`);
}
