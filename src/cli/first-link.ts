import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { Config } from '../config.ts';
import type { Log } from '../lib/log.ts';
import { isPostgres } from '../store/open.ts';
import { COMMAND } from './command-name.ts';

/*
 * The sign-in link of a start without any password. What is printed without a terminal lands in container logs and
 * journals, which more people read than may sign in; there the link goes to a file for its owner alone.
 */

/** Hands the link over; returns what the greeting says about it. */
export function handOver(link: string, config: Pick<Config, 'database'>, log: Log): string {
  if (process.stderr.isTTY) return `${link}   (once, within 24 hours)`;
  try {
    const file = linkFile(config);
    // Created anew, so that neither the mode nor the target of an existing file counts.
    rmSync(file, { force: true });
    writeFileSync(file, `${link}\n`, { mode: 0o600, flag: 'wx' });
    log.info({ file }, 'sign-in link written to a file');
    return `open the link in ${file}   (once, within 24 hours)`;
  } catch (error) {
    log.warn({ err: error }, 'sign-in link not written');
    return `run ${COMMAND} sign-in-link`;
  }
}

/** Removes the file of an earlier start, once there is a password. */
export function withdraw(config: Pick<Config, 'database'>): void {
  if (!isPostgres(config.database)) rmSync(besideStore(config), { force: true });
}

/** Beside the embedded store; with PostgreSQL, in a new temporary folder. */
function linkFile(config: Pick<Config, 'database'>): string {
  if (!isPostgres(config.database)) return besideStore(config);
  return join(mkdtempSync(join(tmpdir(), 'switchboard-')), 'sign-in-link');
}

const besideStore = ({ database }: Pick<Config, 'database'>) => resolve(`${database}.sign-in-link`);
