import { type Kysely, sql } from 'kysely';

import { batchLoad } from '../../lib/runtime/batch-load.ts';
import { indexKey } from '../../lib/text/index-key.ts';
import type { StoredWindow } from '../../model/sending/window.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { keyIn } from '../tables.ts';
import type { WindowRow } from './window-row.ts';

/** What is stored about the conversation with an address. */
export interface KnownWindow {
  stored: StoredWindow | undefined;
  integrationCreatedAt: Millis;
}

/** Lookups per statement. */
const MAX_LOOKUPS = 500;

/** Until when vendors accept free text. */
export class Windows extends Repository {
  /** Messages of one event loop turn are looked up together: one lookup each tripled the cost of accepting them. */
  readonly #load = batchLoad((keys: readonly string[]) => this.#findAll(keys), MAX_LOOKUPS);

  /** The window of an address; undefined if the integration does not exist. */
  find(
    { applicationId, integrationId }: Pick<WindowRow, 'applicationId' | 'integrationId'>,
    address: string,
  ): Promise<KnownWindow | undefined> {
    return this.#load(JSON.stringify([applicationId, integrationId, indexKey(address)]));
  }

  /** Finds both rows of each by primary keys. */
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

  /** Deletes up to `limit` windows that closed before a time; returns how many. */
  async forget(before: Millis, limit: number): Promise<number> {
    const { numAffectedRows } = await sql`delete from windows
      where (application_id, integration_id, address) in
        (select application_id, integration_id, address from windows
          where perhaps_until < ${before} limit ${limit})`.execute(this.db);
    return Number(numAffectedRows ?? 0);
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
  const [given, known] = [sql.ref(`excluded.${column}`), sql.ref(`windows.${column}`)];
  return sql<Millis>`case when ${given} > ${known} then ${given} else ${known} end`;
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
