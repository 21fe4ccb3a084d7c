import { existsSync, statSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

import { type Config, readConfig, unknownSettings } from '../../config.ts';
import { checkDatabaseFile, checkRing, openWithoutMigrating, ringFile } from '../../setup.ts';
import { isPostgres } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { EXIT } from '../exit.ts';
import { print } from '../print.ts';
import type { Finding } from './support.ts';
import { explainUnavailable } from './with-store.ts';

const GIB = 1024 ** 3;
const MIN_FREE_BYTES = 1 * GIB;
const MIN_PLAUSIBLE_TIME = Date.UTC(2026, 0, 1);

interface DoctorOptions {
  json?: boolean;
  /** File for the support report; `true` for a default name. */
  support?: string | true;
}

/** Checks the usual causes of trouble and suggests fixes. */
export async function doctor({ json = false, support }: DoctorOptions): Promise<void> {
  const findings: Finding[] = [];
  const config = checkSettings(findings);
  if (config) {
    await openAndCheckStore(config, findings);
    checkDisk(config, findings);
  }
  checkClock(findings);
  const hasProblem = findings.some(({ result }) => result === 'problem');
  if (json) print(JSON.stringify(findings, null, 2));
  else
    for (const { check, result, detail } of findings)
      print(`${result.padEnd(8)} ${check.padEnd(9)} ${detail}`);
  process.exitCode = hasProblem ? EXIT.failed : EXIT.ok;
  if (support === undefined) return;
  const { writeSupport } = await import('./support.ts');
  await writeSupport(support === true ? undefined : support, config, findings);
}

function checkSettings(findings: Finding[]): Config | undefined {
  const unknown = unknownSettings(process.env);
  if (unknown.length > 0) {
    const detail = `${unknown.join(', ')}: unknown setting; docs/configuration.md lists all`;
    findings.push({ check: 'settings', result: 'warning', detail });
  }
  try {
    const config = readConfig(process.env);
    findings.push({ check: 'settings', result: 'ok', detail: 'all settings are valid' });
    return config;
  } catch (error) {
    findings.push({ check: 'settings', result: 'problem', detail: (error as Error).message });
    return undefined;
  }
}

async function openAndCheckStore(config: Config, findings: Finding[]): Promise<void> {
  try {
    checkDatabaseFile(config);
  } catch (error) {
    findings.push({ check: 'store', result: 'problem', detail: (error as Error).message });
    return;
  }
  if (!isPostgres(config.database) && !existsSync(config.database)) {
    const detail = `no store at ${config.database} yet; the first start creates it`;
    findings.push({ check: 'store', result: 'ok', detail });
    return;
  }
  try {
    const { store: opened } = await openWithoutMigrating(config);
    try {
      await checkStore(opened, config, findings);
    } finally {
      await opened.close();
    }
  } catch (error) {
    const { name, message } = explainUnavailable(error, config.database) as Error;
    findings.push({
      check: name === 'ConfigError' ? 'keys' : 'store',
      result: 'problem',
      detail: message,
    });
  }
}

async function checkStore(opened: Store, config: Config, findings: Finding[]): Promise<void> {
  const { version, durable, prepared } = await opened.engine.describe();
  const pending = await opened.pendingMigrations();
  findings.push(
    pending.length === 0
      ? { check: 'store', result: 'ok', detail: `${version}, up to date` }
      : {
          check: 'store',
          result: 'warning',
          detail: `${version}, migrations pending, applied by "migrate" or the next start: ${pending.join(', ')}`,
        },
  );
  if (!durable) {
    const detail = 'commits are not flushed to disk: set fsync = on and synchronous_commit = on';
    findings.push({ check: 'store', result: 'problem', detail });
  }
  if (pending.length > 0) return;
  if (!prepared) {
    const detail =
      'settings of the database user are missing: start the service once; the user needs the right to ALTER ROLE itself';
    findings.push({ check: 'store', result: 'warning', detail });
  }
  await checkRing(config, opened);
  const detail = 'the key ring matches the store';
  findings.push({ check: 'keys', result: 'ok', detail });
  checkRingMode(config, findings);
}

function checkRingMode(config: Config, findings: Finding[]): void {
  if (config.secretKeys) return;
  const file = ringFile(config);
  if ((statSync(file).mode & 0o077) === 0) return;
  findings.push({
    check: 'keys',
    result: 'problem',
    detail: `others can read ${file}: chmod 600 ${file}`,
  });
}

function checkDisk(config: Config, findings: Finding[]): void {
  if (isPostgres(config.database)) {
    const detail = "external database; monitor its disk with PostgreSQL's own tools";
    findings.push({ check: 'disk', result: 'ok', detail });
    return;
  }
  const folder = nearestFolder(config.database);
  try {
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const detail = `${(free / GIB).toFixed(1)} GiB free in ${folder}`;
    findings.push(
      free > MIN_FREE_BYTES
        ? { check: 'disk', result: 'ok', detail }
        : {
            check: 'disk',
            result: 'warning',
            detail: `${detail}: free some space before messages are refused`,
          },
    );
  } catch (error) {
    findings.push({ check: 'disk', result: 'problem', detail: (error as Error).message });
  }
}

/** Tokens depend on the clock; with an unset clock all of them are refused. */
function checkClock(findings: Finding[]): void {
  const now = new Date();
  findings.push(
    now.getTime() > MIN_PLAUSIBLE_TIME
      ? { check: 'clock', result: 'ok', detail: `${now.toISOString().slice(0, 19)} UTC` }
      : {
          check: 'clock',
          result: 'problem',
          detail: `${now.toISOString().slice(0, 19)} UTC is wrong: set the clock, tokens depend on it`,
        },
  );
}

/** The folder of the database; before the first start, its nearest existing parent. */
function nearestFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) || folder === dirname(folder) ? folder : nearestFolder(folder);
}
