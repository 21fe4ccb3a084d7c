import { type Kysely, sql } from 'kysely';

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

/** Until when vendors accept free text. */
export class Windows extends Repository {
  /** The window of an address; undefined if the integration does not exist. Both rows are found by primary keys. */
  async find(
    { applicationId, integrationId }: Pick<WindowRow, 'applicationId' | 'integrationId'>,
    address: string,
  ): Promise<KnownWindow | undefined> {
    const row = await this.db
      .selectFrom('integrations as i')
      .leftJoin('windows as w', (join) =>
        join
          .on('w.applicationId', '=', applicationId)
          .on('w.integrationId', '=', integrationId)
          .on('w.address', '=', indexKey(address)),
      )
      .select(['i.createdAt', 'w.inboundAt', 'w.openUntil', 'w.perhapsUntil'])
      .where('i.applicationId', '=', applicationId)
      .where('i.id', '=', integrationId)
      .executeTakeFirst();
    if (!row) return undefined;
    const { createdAt: integrationCreatedAt, inboundAt, openUntil, perhapsUntil } = row;
    const isStored = inboundAt !== null && openUntil !== null && perhapsUntil !== null;
    const stored = isStored ? { inboundAt, openUntil, perhapsUntil } : undefined;
    return { integrationCreatedAt, stored };
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
