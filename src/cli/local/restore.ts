import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { type Config, readConfig } from '../../config.ts';
import { readRing, requireFile, ringFile } from '../../setup.ts';
import { Source } from '../../store/move/source.ts';
import { isPostgres } from '../../store/open.ts';
import { faultOfFile, isInUse, replaceDatabase } from '../../store/sqlite/copy.ts';
import { CliError, EXIT } from '../exit.ts';
import { print } from '../print.ts';

/** Replaces the embedded store with a backup. */
export function restore(file: string, { force = false }: { force?: boolean }): void {
  const config = readConfig(process.env);
  const database = resolve(config.database);
  if (isPostgres(config.database)) {
    throw new CliError(
      'PostgreSQL store: use its own restore tools, see docs/backups.md',
      EXIT.usage,
    );
  }
  requireFile(config);
  const path = resolve(file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw new CliError(`no file ${path}`, EXIT.notFound);
  }
  const keys = checkBackup(path);
  checkTarget(database, force);
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 });
  const previous = replaceDatabase(path, database, Date.now());
  print(`Restored ${database} from ${path}.`);
  if (previous !== undefined) print(`The previous store is now ${previous}`);
  reportMissingKeys(config, keys);
  print(
    'The next start sends messages that were queued in the backup, even if they were sent since. To prevent this, start with serve --role api.',
  );
}

/** Checks the file; returns the ids of the keys that encrypt its secrets. */
function checkBackup(path: string): string[] {
  const fault = faultOfFile(path);
  if (fault !== undefined) throw new CliError(`${path} is damaged or incomplete: ${fault}`);
  try {
    using copy = new Source(path);
    return copy.ringKeys;
  } catch {
    throw new CliError(`${path} is not a backup of a store`);
  }
}

function checkTarget(database: string, force: boolean): void {
  if (!existsSync(database)) return;
  // A damaged store is never in use, and may be the reason for the restore.
  if (isInUse(database)) {
    throw new CliError(`${database} is in use by another process; stop it first`);
  }
  if (!force) {
    throw new CliError(`${database} already exists; use --force to replace it`);
  }
}

function reportMissingKeys(config: Config, keys: readonly string[]): void {
  const file = ringFile(config);
  const name = config.secretKeys ? 'SWITCHBOARD_SECRET_KEYS' : file;
  const ring = config.secretKeys ?? (existsSync(file) ? readRing(file) : []);
  const missing = keys.filter((id) => !ring.some((key) => key.id === id));
  print(
    missing.length === 0
      ? `The key ring (${name}) has all keys of the backup.`
      : `Before you start: add the missing keys ${missing.join(', ')} to ${name}. Without them the secrets cannot be decrypted.`,
  );
}
