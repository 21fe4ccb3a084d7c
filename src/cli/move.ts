import { existsSync } from 'node:fs';

import { type Config, ConfigError, readConfig } from '../config.ts';
import { SealError, Sealer } from '../lib/seal.ts';
import { readRing, ringFile } from '../setup.ts';
import { MoveRefused, type Moved, move as carryOver } from '../store/move/move.ts';
import { Source } from '../store/move/source.ts';
import { isPostgres, openEngine } from '../store/open.ts';
import { MARKER } from '../store/store.ts';
import { CliError, EXIT } from './exit.ts';
import { print } from './print.ts';
import { Progress } from './progress.ts';
import { explainUnavailable } from './with-store.ts';

const DAY = 24 * 60 * 60 * 1000;
/** How many keys are named that a ring lacks. */
const MOST_NAMED = 5;

export interface MoveOptions {
  to: string;
  evenIfRunning?: true;
  json?: true;
}

/** Carries the embedded store over to PostgreSQL. What it is carried from is only read. */
export async function move({ to, evenIfRunning, json }: MoveOptions): Promise<void> {
  const config = readConfig(process.env);
  if (isPostgres(config.database)) {
    throw new CliError('SWITCHBOARD_DATABASE names no embedded store to move', EXIT.usage);
  }
  if (!isPostgres(to)) throw new CliError('--to: it is a postgres:// URL', EXIT.usage);
  if (!existsSync(config.database)) {
    throw new CliError(`there is no store at ${config.database}`, EXIT.notFound);
  }
  using source = new Source(config.database);
  checkSource(source, config, evenIfRunning ?? false);
  const engine = await openEngine(to);
  const progress = new Progress(json ?? false);
  try {
    const kept = { retention: config.retentionDays * DAY, now: Date.now() };
    const moved = await carryOver(source, engine, kept, (step, table, done, all) => {
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
    throw new CliError(
      `${config.database} is of an earlier version; bring it up to date first: switchboard migrate`,
    );
  }
  const [running] = source.running(Date.now());
  if (running && !evenIfRunning) {
    throw new CliError(
      `a service is at work on ${config.database} (process ${running.pid}), and what it accepts from now on would stay behind; stop it, and move again after ten seconds`,
    );
  }
  checkRing(source, config);
}

/** The ring has to open everything on the other side too. */
function checkRing(source: Source, config: Config): void {
  const marker = source.ringMarker;
  if (marker === undefined) return;
  const file = ringFile(config);
  if (!config.secretKeys && !existsSync(file)) {
    throw new ConfigError(`${file}: the file is missing, and the store is sealed with a key of it`);
  }
  const keys = config.secretKeys ?? readRing(file);
  const known = new Set(keys.map(({ id }) => id));
  const unknown = source.ringKeys.filter((id) => !known.has(id));
  const name = config.secretKeys ? 'SWITCHBOARD_SECRET_KEYS' : file;
  if (unknown.length > 0) {
    throw new ConfigError(
      `${name}: the store is sealed with keys that this ring does not have: ${unknown.slice(0, MOST_NAMED).join(', ')}`,
    );
  }
  try {
    new Sealer(keys).open(marker, MARKER);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new ConfigError(`${name}: the ring does not open what the store holds`);
  }
}

function report({ rows, tables, was }: Moved, config: Config): void {
  const number = rows.toLocaleString('en');
  print(
    was === 'complete'
      ? `All ${number} rows of ${tables.length} tables are there already; counts and checksums agree.`
      : `Carried over ${number} rows of ${tables.length} tables; counts and checksums agree.`,
  );
  const ring = config.secretKeys ? 'as it is now' : `to what ${ringFile(config)} holds`;
  print(`The key ring opens what was carried over. The same ring is needed from now on:
  1. set SWITCHBOARD_SECRET_KEYS ${ring}, on every node;
  2. set SWITCHBOARD_DATABASE to the new URL;
  3. start the service.
${config.database} was not changed. Keep it until you are sure; do not start a service on it again.`);
}

/** An unreachable database in words that name the option, not the setting. */
function explainTarget(error: unknown, to: string): unknown {
  const explained = explainUnavailable(error, to);
  if (!(explained instanceof CliError)) return error;
  return new CliError(explained.message.replace('SWITCHBOARD_DATABASE', '--to'));
}
