import { type Kysely, sql } from 'kysely';

import { type Id, NO_ID } from '../model/id.ts';
import type { Engine } from './engine.ts';
import type { Schema } from './schema.ts';

/** Of how many numbers changes are kept: a node that is further behind drops all that it has cached. */
export const KEPT_CHANGES = 4_000;

export interface Change {
  /** Its place in the log. Transactions may commit in another order. */
  id: number;
  /** The team, user, key or application that changed; these never share an id. NO_ID means all. */
  resourceId: Id;
}

/**
 * Tells all nodes to drop what they have cached of these. It belongs at the end of the transaction that changes them, so
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

/** What changed of late among all that nodes cache, in one log for all of them. */
export class Changes {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Those after that number, newest first; not more than are kept. */
  async after(id: number): Promise<Change[]> {
    const { rows } = await sql<Change>`select id, resource_id from changes
      where id > ${id} order by id desc limit ${KEPT_CHANGES}`.execute(this.#engine.db);
    return rows;
  }

  /** Tells all nodes to drop everything. */
  async recordAll(): Promise<void> {
    await recordChanges(this.#engine.db, NO_ID);
  }

  /** Mostly there is nothing to prune, which a read finds out for less. */
  async prune(): Promise<void> {
    const { db } = this.#engine;
    const { rows } = await sql<{ oldest: number | null; newest: number | null }>`
      select (select min(id) from changes) as oldest, (select max(id) from changes) as newest`.execute(
      db,
    );
    const before = (rows[0]?.newest ?? 0) - KEPT_CHANGES;
    if ((rows[0]?.oldest ?? Infinity) > before) return;
    await sql`delete from changes where id <= ${before}`.execute(db);
  }
}
