import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ROOT } from './sources.ts';

export interface Clone extends Disposable {
  folder: string;
  git(...args: string[]): string;
}

/** A clone of this repository's committed state that may be changed. */
export function clone(name = 'clone'): Clone {
  const folder = mkdtempSync(join(tmpdir(), `switchboard-${name}-`));
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, folder]);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('config', 'user.name', 'Example');
  git('config', 'user.email', 'example@example.com');
  return { folder, git, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** A clone with its packages, as after `npm ci`. */
export function installedClone(name: string): Clone {
  const made = clone(name);
  const from = join(ROOT, 'node_modules');
  const to = join(made.folder, 'node_modules');
  try {
    execFileSync('cp', ['-al', from, to], { stdio: 'ignore' });
  } catch {
    // On another file system.
    rmSync(to, { recursive: true, force: true });
    execFileSync('cp', ['-a', from, to]);
  }
  // Nothing that another build left there.
  rmSync(join(to, '.cache'), { recursive: true, force: true });
  return made;
}
