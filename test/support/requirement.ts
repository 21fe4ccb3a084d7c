import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that a test needs and npm does not install. */
export interface Requirement {
  /** Its path; undefined if it is not installed. */
  path: string | undefined;
  /** For `it(…, { skip })`: why the test is skipped, or false. */
  skip: string | false;
}

/**
 * Looks for a program. If it is missing, tests are skipped with installation instructions; if `CI` is set, nothing may be
 * skipped, so this throws.
 */
export function requirement(name: string, install: string): Requirement {
  const path = findProgram(name);
  if (path !== undefined) return { path, skip: false };
  const skip = `NOT TESTED: ${name} is not installed. Install it with: ${install}`;
  if (process.env['CI']) throw new Error(skip);
  process.stderr.write(`${skip}\n`);
  return { path, skip };
}

/** The path of a program; undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  // Daemons are often in folders that are not in a user's PATH.
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
