import { type Kysely, sql } from 'kysely';

import { type Id, NO_ID } from '../../model/id.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';

/** Log entries kept. A node that is further behind drops its whole cache. */
export const KEPT_CHANGES = 4_000;

export interface Change {
  /** Position in the log. Transactions may commit in another order. */
  id: number;
  /** The team, user, key or application that changed; these never share an id. NO_ID means all. */
  resourceId: Id;
}

/**
 * Tells all nodes to drop cached entries of these resources. Call it at the end of the transaction that changes them, so
 * that little time passes between taking the number and the commit.
 */
export async function recordChanges(
  trx: Kysely<Schema>,
  ...resourceIds: readonly Id[]
): Promise<void> {
  if (resourceIds.length === 0) return;
  const rows = sql.join(resourceIds.map((id) => sql`(${id})`));
  await sql`insert into changes (resource_id) values ${rows}`.execute(trx);
}

/** The log of changes to cached resources, shared by all nodes. */
export class Changes extends Repository {
  /** Changes after that position, newest first. */
  async after(id: number): Promise<Change[]> {
    const { rows } = await sql<Change>`select id, resource_id from changes
      where id > ${id} order by id desc limit ${KEPT_CHANGES}`.execute(this.db);
    return rows;
  }

  /** Tells all nodes to drop everything. */
  async recordAll(): Promise<void> {
    await recordChanges(this.db, NO_ID);
  }

  /** Reads first: usually there is nothing to prune, and a write costs more. */
  async prune(): Promise<void> {
    const { rows } = await sql<{ oldest: number | null; newest: number | null }>`
      select (select min(id) from changes) as oldest, (select max(id) from changes) as newest`.execute(
      this.db,
    );
    const before = (rows[0]?.newest ?? 0) - KEPT_CHANGES;
    if ((rows[0]?.oldest ?? Infinity) > before) return;
    await sql`delete from changes where id <= ${before}`.execute(this.db);
  }
}
