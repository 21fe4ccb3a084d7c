import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that a test needs and npm does not bring. */
export interface Requirement {
  /** Where it is; undefined when it is not there. */
  path: string | undefined;
  /** For `it(…, { skip })`: why the test is left out, or false. */
  skip: string | false;
}

/**
 * Looks for a program. Without it, tests are skipped with words that say how to get it; where `CI` is
 * set nothing may be skipped, and this fails.
 */
export function requirement(name: string, install: string): Requirement {
  const path = findProgram(name);
  if (path !== undefined) return { path, skip: false };
  const skip = `NOT TESTED: ${name} is not installed. Get it with: ${install}`;
  if (process.env['CI']) throw new Error(skip);
  process.stderr.write(`${skip}\n`);
  return { path, skip };
}

/** Where a program is; undefined when it is not there. */
export function findProgram(name: string): string | undefined {
  // Daemons live where a user's path often does not lead.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
