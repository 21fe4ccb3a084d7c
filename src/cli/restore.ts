import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { type Config, readConfig } from '../config.ts';
import { readRing, ringFile } from '../setup.ts';
import { Source } from '../store/move/source.ts';
import { isPostgres } from '../store/open.ts';
import { faultOfFile, isInUse, putInPlace } from '../store/sqlite/copy.ts';
import { CliError, EXIT } from './exit.ts';
import { print } from './print.ts';

/** Puts a backup in the place of the embedded store. */
export function restore(file: string, { force = false }: { force?: boolean }): void {
  const config = readConfig(process.env);
  const database = resolve(config.database);
  if (isPostgres(config.database)) {
    throw new CliError(
      'with PostgreSQL, its own means restore: docs/backups.md says how',
      EXIT.usage,
    );
  }
  const path = resolve(file);
  if (!existsSync(path)) throw new CliError(`there is no file ${path}`, EXIT.notFound);
  const keys = checkBackup(path);
  checkPlace(database, force);
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 });
  const before = putInPlace(path, database, Date.now());
  print(`Restored ${database} from ${path}.`);
  if (before !== undefined) print(`What was there before is ${before}.`);
  sayRing(config, keys);
  print(
    'What was queued when the backup was made is sent by the next start, also if it was sent since.',
  );
}

/** The keys of the ring that its secrets are sealed with. */
function checkBackup(path: string): string[] {
  const fault = faultOfFile(path);
  if (fault !== undefined) throw new CliError(`${path} is no whole backup: ${fault}`);
  try {
    using copy = new Source(path);
    return copy.ringKeys;
  } catch {
    throw new CliError(`${path} is no backup of a store`);
  }
}

function checkPlace(database: string, force: boolean): void {
  if (!existsSync(database)) return;
  // One that is damaged is in nobody's use, and may be why somebody restores.
  if (isInUse(database)) {
    throw new CliError(`${database} is in use by another process; stop it first`);
  }
  if (!force) {
    throw new CliError(
      `there is a store at ${database} already; --force puts the backup in its place`,
    );
  }
}

function sayRing(config: Config, keys: readonly string[]): void {
  const file = ringFile(config);
  const name = config.secretKeys ? 'SWITCHBOARD_SECRET_KEYS' : file;
  const ring = config.secretKeys ?? (existsSync(file) ? readRing(file) : []);
  const missing = keys.filter((id) => !ring.some((key) => key.id === id));
  print(
    missing.length === 0
      ? `The key ring (${name}) has the keys that it is sealed with.`
      : `Before you start: ${name} lacks the keys ${missing.join(', ')}, without which nothing opens that is sealed. Put them back.`,
  );
}
