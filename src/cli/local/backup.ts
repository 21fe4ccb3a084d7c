import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

import { readConfig } from '../../config.ts';
import { groupDigits } from '../../lib/text/grouped-digits.ts';
import { ringFile } from '../../setup.ts';
import { Source } from '../../store/move/source.ts';
import { isPostgres } from '../../store/open.ts';
import { copyWhileInUse, refuseExisting } from '../../store/sqlite/copy.ts';
import { CliError, EXIT } from '../exit.ts';
import { explainFileError } from '../files.ts';
import { print } from '../print.ts';

const MIB = 1024 * 1024;

/** Writes a copy of the embedded store. The key ring is not part of it. */
export function backup(file: string): void {
  const config = readConfig(process.env);
  const { database } = config;
  if (isPostgres(database)) {
    throw new CliError(
      'PostgreSQL store: use its own backup tools, see docs/backups.md',
      EXIT.usage,
    );
  }
  if (!existsSync(database)) throw new CliError(`no store at ${database}`, EXIT.notFound);
  const path = resolve(file);
  try {
    refuseExisting(path);
    copyWhileInUse(resolve(database), path);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new CliError(explainFileError(error) ?? detail);
  }
  using copy = new Source(path);
  const size = (statSync(path).size / MIB).toFixed(1);
  print(`Wrote ${path} (${size} MiB, ${groupDigits(copy.count('messages'))} messages).`);
  const ring = config.secretKeys ? 'SWITCHBOARD_SECRET_KEYS' : ringFile(config);
  print(
    `Its secrets are encrypted with the keys ${copy.ringKeys.join(', ')} of ${ring}, which the backup does not contain. Keep them in another place for as long as you keep the backup.`,
  );
}
