import { type Kysely, sql } from 'kysely';

import { batchLoad } from '../../lib/runtime/batch-load.ts';
import { indexKey } from '../../lib/text/index-key.ts';
import type { Id } from '../../model/id.ts';
import type { StoredWindow } from '../../model/sending/window.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { keyIn } from '../tables.ts';
import type { WindowRow } from './window-row.ts';

/** The stored facts about the conversation with an address. */
export interface KnownWindow {
  stored: StoredWindow | undefined;
  integrationCreatedAt: Millis;
}

/** Lookups per statement. */
const MAX_LOOKUPS = 500;

/** Results that are kept in memory. */
const MAX_REMEMBERED = 20_000;

type WindowPlace = Pick<WindowRow, 'applicationId' | 'integrationId'>;

const keyOf = ({ applicationId, integrationId }: WindowPlace, address: string): string =>
  JSON.stringify([applicationId, integrationId, indexKey(address)]);

function remember<Key, Value>(values: Map<Key, Value>, key: Key, value: Value): void {
  values.delete(key);
  values.set(key, value);
  const [oldest] = values.keys();
  if (oldest !== undefined && values.size > MAX_REMEMBERED) values.delete(oldest);
}

/** The times until which vendors accept free text. */
export class Windows extends Repository {
  /** Messages of one event loop turn are looked up together: one lookup each tripled the cost of accepting them. */
  readonly #load = batchLoad((keys: readonly string[]) => this.#findAll(keys), MAX_LOOKUPS);

  /** Earlier results by address, and the times at which integrations were created; the oldest are dropped. */
  readonly #found = new Map<string, KnownWindow>();
  readonly #createdAt = new Map<Id, Millis>();

  /** The window of an address; undefined if the integration does not exist. */
  async find(place: WindowPlace, address: string): Promise<KnownWindow | undefined> {
    const key = keyOf(place, address);
    const found = await this.#load(key);
    if (found) {
      remember(this.#found, key, found);
      remember(this.#createdAt, place.integrationId, found.integrationCreatedAt);
    }
    return found;
  }

  /**
   * The cached window, without a lookup. Windows are extended, never shortened: a cached window that is open is open; one
   * that is closed may have been extended since.
   */
  recall(place: WindowPlace, address: string): KnownWindow | undefined {
    const found = this.#found.get(keyOf(place, address));
    if (found) return found;
    const integrationCreatedAt = this.#createdAt.get(place.integrationId);
    return integrationCreatedAt === undefined
      ? undefined
      : { stored: undefined, integrationCreatedAt };
  }

  /** Finds the integration and the window of each key by their primary keys. */
  async #findAll(keys: readonly string[]): Promise<Map<string, KnownWindow>> {
    const json = `[${keys.join(',')}]`;
    const query =
      this.engine.name === 'postgres'
        ? sql<FoundWindow>`${FIND} from (select position - 1 as position, (key ->> 0)::bigint as application_id,
            (key ->> 1)::bigint as integration_id, key ->> 2 as address
            from json_array_elements(${json}::json) with ordinality as given (key, position)) k ${BY_ANY}`
        : sql<FoundWindow>`${FIND} from (select key as position, value ->> 0 as application_id,
            value ->> 1 as integration_id, value ->> 2 as address from json_each(${json})) k ${BY_KEY}`;
    const { rows } = await query.execute(this.db);
    return new Map(rows.map((row) => [keys[row.position] ?? '', knownWindow(row)]));
  }
}

const FIND = sql`select k.position, i.created_at, w.inbound_at, w.open_until, w.perhaps_until`;

/** `cross join` keeps SQLite from starting with the integrations. */
const BY_KEY = sql`cross join integrations i
  left join windows w on w.integration_id = k.integration_id and w.address = k.address
    and w.application_id = k.application_id
  where i.id = k.integration_id and i.application_id = k.application_id`;

/** `= any` keeps PostgreSQL from any plan but a lookup for each. */
const BY_ANY = sql`cross join integrations i
  left join windows w on w.application_id = any (array[k.application_id])
    and w.integration_id = any (array[k.integration_id]) and w.address = any (array[k.address])
  where i.application_id = any (array[k.application_id]) and i.id = any (array[k.integration_id])`;

type FoundWindow = { position: number; createdAt: Millis } & {
  [Time in keyof StoredWindow]: Millis | null;
};

function knownWindow({ createdAt, inboundAt, openUntil, perhapsUntil }: FoundWindow): KnownWindow {
  const isStored = inboundAt !== null && openUntil !== null && perhapsUntil !== null;
  const stored = isStored ? { inboundAt, openUntil, perhapsUntil } : undefined;
  return { integrationCreatedAt: createdAt, stored };
}

/** The later of the stored and the given time. */
const latest = (column: 'inbound_at' | 'open_until' | 'perhaps_until') => {
  const [given, stored] = [sql.ref(`excluded.${column}`), sql.ref(`windows.${column}`)];
  return sql<Millis>`case when ${given} > ${stored} then ${given} else ${stored} end`;
};

/** Opens windows, or extends them: a late report of an earlier message never shortens one. */
export async function openWindows(
  { name }: Engine,
  trx: Kysely<Schema>,
  rows: readonly WindowRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const merged = new Map<string, WindowRow>();
  for (const row of rows) {
    const address = indexKey(row.address);
    const key = `${row.integrationId} ${address}`;
    merged.set(key, later({ ...row, address }, merged.get(key)));
  }
  // In key order, so that two nodes cannot deadlock.
  const ordered = [...merged.values()].toSorted(
    (a, b) => byNumber(a, b) || Buffer.compare(Buffer.from(a.address), Buffer.from(b.address)),
  );
  for (const row of ordered) {
    await trx
      .insertInto('windows')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(keyIn(name, 'windows')).doUpdateSet({
          inboundAt: latest('inbound_at'),
          openUntil: latest('open_until'),
          perhapsUntil: latest('perhaps_until'),
        }),
      )
      .execute();
  }
}

const byNumber = (a: WindowRow, b: WindowRow) =>
  a.applicationId - b.applicationId || a.integrationId - b.integrationId;

function later(row: WindowRow, other: WindowRow = row): WindowRow {
  return {
    ...row,
    inboundAt: Math.max(row.inboundAt, other.inboundAt),
    openUntil: Math.max(row.openUntil, other.openUntil),
    perhapsUntil: Math.max(row.perhapsUntil, other.perhapsUntil),
  };
}
