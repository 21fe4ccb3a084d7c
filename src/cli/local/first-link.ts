import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { Config } from '../../config.ts';
import type { Log } from '../../lib/telemetry/log.ts';
import { isPostgres } from '../../store/open.ts';
import { COMMAND } from '../command-name.ts';

/*
 * The sign-in link that a start publishes while no user has a password. Output without a terminal ends up in container logs and
 * journals, which more people can read than may sign in; the link then goes to a file that only its owner can
 * read.
 */

/** Prints or stores the link; returns the line for the greeting. */
export function publishLink(link: string, config: Pick<Config, 'database'>, log: Log): string {
  if (process.stderr.isTTY) return `${link}   (once, within 24 hours)`;
  try {
    const file = linkFile(config);
    // Replaced, so that mode and target of an existing file do not matter.
    rmSync(file, { force: true });
    writeFileSync(file, `${link}\n`, { mode: 0o600, flag: 'wx' });
    log.info({ file }, 'sign-in link written');
    return `open the link in ${file}   (once, within 24 hours)`;
  } catch (error) {
    log.warn({ err: error }, 'sign-in link not written');
    return `run ${COMMAND} sign-in-link`;
  }
}

/** Removes the file of an earlier start once a password is set. */
export function removeLinkFile(config: Pick<Config, 'database'>): void {
  if (!isPostgres(config.database)) rmSync(besideStore(config), { force: true });
}

/** Next to the embedded store; with PostgreSQL, in a new temporary folder. */
function linkFile(config: Pick<Config, 'database'>): string {
  if (!isPostgres(config.database)) return besideStore(config);
  return join(mkdtempSync(join(tmpdir(), 'switchboard-')), 'sign-in-link');
}

const besideStore = ({ database }: Pick<Config, 'database'>) => resolve(`${database}.sign-in-link`);
