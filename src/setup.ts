import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

import type { Config } from './config.ts';
import { ConfigError } from './config.ts';
import {
  type RingKey,
  Sealer,
  formatKeyRing,
  generateRingKey,
  parseKeyRing,
} from './lib/crypto/seal.ts';
import type { Clock } from './lib/runtime/clock.ts';
import { systemClock } from './lib/runtime/clock.ts';
import { type Team, type User, normalizeEmail } from './model/account.ts';
import { Conflict } from './store/faults.ts';
import { isPostgres, openEngine } from './store/open.ts';
import { isMissingOrEmpty } from './store/sqlite/damage.ts';
import { Store } from './store/store.ts';

const MIB = 1024 * 1024;

/** The email address of the user created by the first start. */
export const FIRST_EMAIL = 'admin@localhost';

/** The key ring file of an embedded store, used if SWITCHBOARD_SECRET_KEYS is not set. */
export function ringFile(config: Pick<Config, 'database'>): string {
  return `${config.database}.keys`;
}

export interface OpenOptions {
  /** Whether to check an embedded store for damage if it was not closed properly. */
  isCheckedAfterCrash?: boolean;
  onIdleError?(error: Error): void;
}

/** Startup waits this long for the check; on a large file it continues in the background. */
const CHECK_WAIT_MS = 2_000;

/** Opens the configured store, applies migrations and verifies the key ring. */
export async function openStore(config: Config, options: OpenOptions = {}): Promise<Store> {
  const { store, newKey } = await openWithoutMigrating(config, options);
  try {
    await waitForCheck(store);
    await store.migrate();
    await checkRing(config, store);
    if ((await store.ringFits()) === undefined) {
      // A new ring must be on disk before anything is encrypted with it.
      if (newKey) writeRing(ringFile(config), newKey);
      await store.storeRingMarker();
    }
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens the store without changing its schema or key ring. */
export async function openWithoutMigrating(
  config: Config,
  options: OpenOptions = {},
): Promise<{ store: Store; newKey: RingKey | undefined }> {
  checkDatabaseFile(config);
  const { keys, newKey } = loadRing(config);
  const file = ringFile(config);
  const reload = config.secretKeys ? undefined : () => (existsSync(file) ? readRing(file) : keys);
  const engine = await openEngine(config.database, {
    poolSize: config.databasePool,
    listenUrl: config.databaseListenUrl,
    prepared: config.databasePrepared,
    logLimitBytes: config.databaseLogMb * MIB,
    ...options,
  });
  return { store: new Store(engine, new Sealer(keys, reload)), newKey };
}

async function waitForCheck({ engine: { checked } }: Store): Promise<void> {
  // Not handled here: a failed check also rejects every later use of the store.
  checked?.catch(() => {});
  await Promise.race([checked, setTimeout(CHECK_WAIT_MS, undefined, { ref: false })]);
}

/** Throws a ConfigError if the path of an embedded store is not a file, or if the store was lost. */
export function checkDatabaseFile(config: Config): void {
  requireFile(config);
  refuseLostDatabase(config);
}

/** Opening a store changes the mode of its file, and restoring one renames it: neither may happen to a device. */
export function requireFile({ database }: Pick<Config, 'database'>): void {
  if (isPostgres(database)) return;
  const found = statSync(database, { throwIfNoEntry: false });
  if (!found || found.isFile()) return;
  const what = found.isDirectory() ? 'a folder' : 'a device';
  throw new ConfigError(`SWITCHBOARD_DATABASE: ${database} is ${what}; name a file`);
}

/** A key ring file without its database means a lost database, not a first start. */
function refuseLostDatabase(config: Config): void {
  const { database, secretKeys, lostDatabase } = config;
  if (secretKeys || isPostgres(database) || lostDatabase === 'replace') return;
  const file = ringFile(config);
  if (!existsSync(file) || !isMissingOrEmpty(database)) return;
  throw new ConfigError(
    `${database}: the database is missing or empty, but its key ring ${file} exists; put the database back, restore a backup, or set SWITCHBOARD_LOST_DATABASE=replace once to start with an empty one`,
  );
}

/** Throws a ConfigError if the store is encrypted with a key that the ring does not have. */
export async function checkRing(config: Config, store: Store): Promise<void> {
  if ((await store.ringFits()) !== false) return;
  const file = ringFile(config);
  if (!config.secretKeys && !existsSync(file)) {
    throw new ConfigError(
      `${file}: the file is missing, and the store is encrypted with its keys; put it back, or set SWITCHBOARD_SECRET_KEYS`,
    );
  }
  const source = config.secretKeys ? 'SWITCHBOARD_SECRET_KEYS' : file;
  throw new ConfigError(
    `${source}: the store is encrypted with a key that this ring does not have; add that key to it`,
  );
}

function loadRing(config: Config): { keys: readonly RingKey[]; newKey: RingKey | undefined } {
  if (config.secretKeys) return { keys: config.secretKeys, newKey: undefined };
  if (isPostgres(config.database)) {
    const example = formatKeyRing([generateRingKey()]);
    throw new ConfigError(
      `SWITCHBOARD_SECRET_KEYS: required with PostgreSQL; set the same value on every node, for example this new one: ${example}`,
    );
  }
  const file = ringFile(config);
  if (existsSync(file)) return { keys: readRing(file), newKey: undefined };
  const newKey = generateRingKey();
  return { keys: [newKey], newKey };
}

export function readRing(file: string): readonly RingKey[] {
  try {
    return parseKeyRing(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Keeps an existing file: a process that started at the same moment wrote it, and the store uses its ring. */
function writeRing(file: string, key: RingKey): void {
  try {
    writeFileSync(file, `${formatKeyRing([key])}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Creates a team with its owner. Throws Conflict if the email address is taken. */
export async function createTeam(
  store: Store,
  { name, email, password }: { name: string; email: string; password: string | null },
  clock: Clock = systemClock,
): Promise<{ team: Team; owner: User }> {
  const now = clock.now();
  const dated = { createdAt: now, updatedAt: now };
  const teamId = await store.nextId();
  const ownerId = await store.nextId();
  const team: Team = { id: teamId, name, ownerId, ...dated };
  const address = normalizeEmail(email);
  const owner: User = {
    id: ownerId,
    teamId,
    name: address.slice(0, address.indexOf('@')),
    email: address,
    password,
    state: 'enable',
    ...dated,
  };
  await store.teams.insert(team, owner);
  return { team, owner };
}

/** Returns the first user; creates it with a first team if there is none. */
export async function ensureFirstUser(
  store: Store,
  email = FIRST_EMAIL,
): Promise<{ user: User; isNew: boolean }> {
  const first = await store.users.first();
  if (first) return { user: first, isNew: false };
  try {
    const { owner } = await createTeam(store, { name: 'First team', email, password: null });
    return { user: owner, isNew: true };
  } catch (error) {
    // Another node started at the same moment and created the user first.
    const user = error instanceof Conflict && (await store.users.first());
    if (user) return { user, isNew: false };
    throw error;
  }
}
