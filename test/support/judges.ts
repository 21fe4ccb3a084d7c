import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from './sources.ts';

/*
 * Third-party checkers that cannot be dependencies, because they need another Node.js or TypeScript, or have another kind
 * of license. Each folder of test/judges/ has its own lock file and is installed when a test needs it.
 */

const run = promisify(execFile);

export interface Judge {
  /** For `describe(…, { skip })`: why the tests are skipped, or false. */
  skip: string | false;
  folder: string;
  /** Loads one of its packages. */
  load(name: string): unknown;
}

/** Installs a checker. If that fails, its tests are skipped with installation instructions; if `CI` is set, they fail. */
export async function openJudge(name: string): Promise<Judge> {
  const folder = join(ROOT, 'test', 'judges', name);
  const load = createRequire(join(folder, 'package.json'));
  try {
    if (!isInstalled(folder)) {
      const shell = process.platform === 'win32';
      await run('npm', ['ci', '--ignore-scripts', '--loglevel=error'], { cwd: folder, shell });
    }
    return { skip: false, folder, load };
  } catch (error) {
    if (process.env['CI']) throw error;
    const skip = `NOT TESTED: npm ci --ignore-scripts --prefix test/judges/${name}`;
    process.stderr.write(`${skip}\n`);
    return { skip, folder, load };
  }
}

function isInstalled(folder: string): boolean {
  return Object.entries(manifestIn(folder).dependencies ?? {}).every(
    ([name, version]) => manifestIn(join(folder, 'node_modules', name)).version === version,
  );
}

interface Manifest {
  version?: string;
  dependencies?: Record<string, string>;
}

function manifestIn(folder: string): Manifest {
  const path = join(folder, 'package.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : {};
}
