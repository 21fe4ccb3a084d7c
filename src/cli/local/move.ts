import { existsSync } from 'node:fs';

import { type Config, ConfigError, readConfig } from '../../config.ts';
import { SealError, Sealer } from '../../lib/crypto/seal.ts';
import { groupDigits } from '../../lib/text/grouped-digits.ts';
import { readRing, ringFile } from '../../setup.ts';
import { MoveRefused, type Moved, move as carryOver } from '../../store/move/move.ts';
import { Source } from '../../store/move/source.ts';
import { isPostgres, openEngine } from '../../store/open.ts';
import { MARKER } from '../../store/store.ts';
import { COMMAND } from '../command-name.ts';
import { CliError, EXIT } from '../exit.ts';
import { print } from '../print.ts';
import { Progress } from '../progress.ts';
import { explainUnavailable } from './with-store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Maximum number of missing keys to name. */
const MAX_NAMED_KEYS = 5;

export interface MoveOptions {
  to: string;
  evenIfRunning?: true;
  json?: true;
}

/** Copies the embedded store to PostgreSQL. The source is opened read-only. */
export async function move({ to, evenIfRunning, json }: MoveOptions): Promise<void> {
  const config = readConfig(process.env);
  if (isPostgres(config.database)) {
    throw new CliError('SWITCHBOARD_DATABASE must name an embedded store', EXIT.usage);
  }
  if (!isPostgres(to)) throw new CliError('--to: expected a postgres:// URL', EXIT.usage);
  if (!existsSync(config.database)) {
    throw new CliError(`no store at ${config.database}`, EXIT.notFound);
  }
  using source = new Source(config.database);
  checkSource(source, config, evenIfRunning ?? false);
  const engine = await openEngine(to);
  const progress = new Progress(json ?? false);
  try {
    const period = { retention: config.retentionDays * DAY_MS, now: Date.now() };
    const moved = await carryOver(source, engine, period, (step, table, done, all) => {
      progress.show(`${step === 'copy' ? 'copying' : 'checking'} ${table}`, done, all);
    });
    progress.end();
    if (json) print(JSON.stringify(moved, null, 2));
    else report(moved, config);
  } catch (error) {
    progress.end();
    if (error instanceof MoveRefused) throw new CliError(error.message);
    throw explainTarget(error, to);
  } finally {
    await engine.close();
  }
}

function checkSource(source: Source, config: Config, evenIfRunning: boolean): void {
  const missing = source.missingMigrations;
  if (missing.length > 0) {
    throw new CliError(`${config.database} has pending migrations; run ${COMMAND} migrate first`);
  }
  const [running] = source.runningNodes(Date.now());
  if (running && !evenIfRunning) {
    throw new CliError(
      `${config.database} is in use by a service (process ${running.pid}); stop it and run move again after ten seconds, or use --even-if-running and lose messages accepted during the move`,
    );
  }
  checkRing(source, config);
}

/** The ring must decrypt everything in the new database too. */
function checkRing(source: Source, config: Config): void {
  const marker = source.ringMarker;
  if (marker === undefined) return;
  const file = ringFile(config);
  if (!config.secretKeys && !existsSync(file)) {
    throw new ConfigError(
      `${file}: key ring file missing; put it back, or set SWITCHBOARD_SECRET_KEYS`,
    );
  }
  const keys = config.secretKeys ?? readRing(file);
  const ringIds = new Set(keys.map(({ id }) => id));
  const missing = source.ringKeys.filter((id) => !ringIds.has(id));
  const name = config.secretKeys ? 'SWITCHBOARD_SECRET_KEYS' : file;
  if (missing.length > 0) {
    throw new ConfigError(
      `${name}: the ring lacks keys of the store: ${missing.slice(0, MAX_NAMED_KEYS).join(', ')}`,
    );
  }
  try {
    new Sealer(keys).open(marker, MARKER);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new ConfigError(`${name}: the ring cannot decrypt the store`);
  }
}

function report({ rows, tables, was }: Moved, config: Config): void {
  const rowCount = groupDigits(rows);
  print(
    was === 'complete'
      ? `All ${rowCount} rows of ${tables.length} tables were already copied; counts and checksums match.`
      : `Copied ${rowCount} rows of ${tables.length} tables; counts and checksums match.`,
  );
  const ring = config.secretKeys ? 'to its current value' : `to the content of ${ringFile(config)}`;
  print(`The new database needs the same key ring:
  1. set SWITCHBOARD_SECRET_KEYS ${ring}, on every node;
  2. set SWITCHBOARD_DATABASE to the new URL;
  3. start the service.
${config.database} is unchanged. Keep it until you are sure; do not start a service on it again.`);
}

/** Names the option instead of the setting for an unreachable database. */
function explainTarget(error: unknown, to: string): unknown {
  const explained = explainUnavailable(error, to);
  if (!(explained instanceof CliError)) return error;
  return new CliError(explained.message.replace('SWITCHBOARD_DATABASE', '--to'));
}
