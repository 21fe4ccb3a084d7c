import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT, type Sources } from '../sources.ts';

/** The folder that `build` fills from these sources; it is built once per content. */
export function cachedBuild(
  name: string,
  sources: Sources,
  build: (folder: string) => void,
): string {
  const cache = join(ROOT, 'node_modules', '.cache', name);
  const digest = createHash('sha256')
    .update(JSON.stringify([...sources]))
    .digest('hex');
  const current = digest.slice(0, 16);
  const folder = join(cache, current);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  // Built in a temporary folder and then moved, because several tests may build at once.
  const made = mkdtempSync(join(cache, 'making-'));
  build(made);
  // Another test may be using the current one already.
  const isOld = (one: string) => one !== current && !one.startsWith('making-');
  for (const old of readdirSync(cache).filter(isOld)) {
    rmSync(join(cache, old), { recursive: true, force: true });
  }
  try {
    renameSync(made, folder);
  } catch {
    rmSync(made, { recursive: true });
  }
  return folder;
}
