import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Time of the commit in seconds; the only date in a package, so that two builds of a commit are equal. */
export function sourceDate(): number {
  const options = { cwd: ROOT, encoding: 'utf8' } as const;
  return Number(execFileSync('git', ['log', '-1', '--format=%ct'], options));
}
