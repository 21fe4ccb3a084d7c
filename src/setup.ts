import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import type { Config } from './config.ts';
import { ConfigError } from './config.ts';
import type { Clock } from './lib/clock.ts';
import { systemClock } from './lib/clock.ts';
import { type RingKey, Sealer, formatKeyRing, generateRingKey, parseKeyRing } from './lib/seal.ts';
import { type Team, type User, normaliseEmail } from './model/account.ts';
import { Conflict } from './store/faults.ts';
import { isPostgres, openEngine } from './store/open.ts';
import { Store } from './store/store.ts';

/** The email address of the user that the first start makes. */
export const FIRST_EMAIL = 'admin@localhost';

/** The file that holds the key ring of an embedded store, when no setting does. */
export function ringFile(config: Pick<Config, 'database'>): string {
  return `${config.database}.keys`;
}

export interface OpenOptions {
  onIdleError?(error: Error): void;
}

/** Opens the store that the settings name, up to date and with the right key ring. */
export async function openStore(config: Config, options: OpenOptions = {}): Promise<Store> {
  const { keys, made } = loadRing(config);
  const file = ringFile(config);
  const reload = config.secretKeys ? undefined : () => (existsSync(file) ? readRing(file) : keys);
  const engine = await openEngine(config.database, { poolSize: config.databasePool, ...options });
  const store = new Store(engine, new Sealer(keys, reload));
  try {
    await store.migrate();
    await settleRing(config, store, made);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

function loadRing(config: Config): { keys: readonly RingKey[]; made: RingKey | undefined } {
  if (config.secretKeys) return { keys: config.secretKeys, made: undefined };
  if (isPostgres(config.database)) {
    const example = formatKeyRing([generateRingKey()]);
    throw new ConfigError(
      `SWITCHBOARD_SECRET_KEYS: it must be given with PostgreSQL, the same on every node; a new one: ${example}`,
    );
  }
  const file = ringFile(config);
  if (existsSync(file)) return { keys: readRing(file), made: undefined };
  const made = generateRingKey();
  return { keys: [made], made };
}

export function readRing(file: string): readonly RingKey[] {
  try {
    return parseKeyRing(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A new ring is written down before anything is sealed with it; a wrong one is not used at all. */
async function settleRing(config: Config, store: Store, made: RingKey | undefined): Promise<void> {
  const fits = await store.ringFits();
  if (fits === false) {
    throw new ConfigError(
      made
        ? `${ringFile(config)}: the file is missing, and the store is sealed with a key of it; put it back, or set SWITCHBOARD_SECRET_KEYS`
        : `${config.secretKeys ? 'SWITCHBOARD_SECRET_KEYS' : ringFile(config)}: the store is sealed with a key that this ring does not have; add that key to it`,
    );
  }
  if (fits) return;
  if (made)
    writeFileSync(ringFile(config), `${formatKeyRing([made])}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
  await store.markRing();
}

/** Makes a team with its owner. Throws Conflict when the email address is taken. */
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
  const address = normaliseEmail(email);
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

/** The first user, who is made with a first team when there is nobody yet. */
export async function ensureFirstUser(
  store: Store,
  email = FIRST_EMAIL,
): Promise<{ user: User; made: boolean }> {
  const first = await store.users.first();
  if (first) return { user: first, made: false };
  try {
    const { owner } = await createTeam(store, { name: 'First team', email, password: null });
    return { user: owner, made: true };
  } catch (error) {
    // Another node started at the same moment and was faster.
    const user = error instanceof Conflict && (await store.users.first());
    if (user) return { user, made: false };
    throw error;
  }
}
