import { sql } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import { deleteBelongings } from './applications.ts';
import { removeChats } from './chat-files.ts';
import type { Engine } from './engine.ts';
import { removeMessages } from './retention.ts';
import type { Purge } from './schema.ts';
import { TOLD, tell } from './telling.ts';

/** Clears away what belonged to something deleted, a little at a time. */
export class Purges {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  list(): Promise<Purge[]> {
    return this.#engine.db
      .selectFrom('purges')
      .selectAll()
      .orderBy('createdAt')
      .limit(1000)
      .execute();
  }

  /** Deletes up to `limit` messages of an application with their attempts; answers how many it were. */
  async deleteMessages(applicationId: Id, limit: number): Promise<number> {
    const { db } = this.#engine;
    const messages = await db
      .selectFrom('messages')
      .select('id')
      .where('applicationId', '=', applicationId)
      .limit(limit)
      .execute();
    const ids = messages.map(({ id }) => id);
    if (ids.length > 0) await db.transaction().execute((trx) => removeMessages(trx, ids));
    return ids.length;
  }

  /** Cancels up to `limit` waiting messages of an integration; answers how many it were. */
  async cancelMessages(purge: Purge, limit: number, now: Millis): Promise<number> {
    return this.#engine.db.transaction().execute(async (trx) => {
      const canceled = await trx
        .updateTable('messages')
        .set({ state: 'canceled', updatedAt: now })
        .where('id', 'in', (messages) =>
          messages
            .selectFrom('messages')
            .select('id')
            .where('applicationId', '=', purge.applicationId)
            .where('state', '=', sql.lit('queued'))
            .where('integrationId', '=', purge.resourceId)
            .limit(limit),
        )
        .returning(TOLD)
        .execute();
      await tell(trx, canceled, 'canceled', now);
      return canceled.length;
    });
  }

  /** Removes up to `limit` lanes of what was deleted; answers how many it were. */
  async removeLanes({ kind, resourceId }: Purge, limit: number): Promise<number> {
    const owned = sql.ref(kind === 'application' ? 'o.application_id' : 'o.integration_id');
    // In the order of lanes, in which everybody locks them.
    const lock = this.#engine.name === 'postgres' ? sql`for update of l` : sql``;
    const { numAffectedRows } = await sql`delete from lanes where (integration_id, recipient) in
      (select l.integration_id, l.recipient from lanes l
        join ownerships o on o.integration_id = l.integration_id
        where ${owned} = ${resourceId} order by l.integration_id, l.recipient limit ${limit} ${lock})`.execute(
      this.#engine.db,
    );
    return Number(numAffectedRows ?? 0);
  }

  /** Removes up to `limit` of what was said in web chats; answers how many it were at the most. */
  async removeChats({ kind, resourceId }: Purge, limit: number): Promise<number> {
    if (kind === 'integration') return removeChats(this.#engine.db, [resourceId], limit);
    const owned = await this.#engine.db
      .selectFrom('ownerships')
      .select('integrationId')
      .where('applicationId', '=', resourceId)
      .execute();
    const ids = owned.map(({ integrationId }) => integrationId);
    return removeChats(this.#engine.db, ids, limit);
  }

  async finish({ kind, resourceId, applicationId }: Purge): Promise<void> {
    const { db } = this.#engine;
    if (kind === 'application') await deleteBelongings(db, applicationId);
    const whose = kind === 'application' ? 'applicationId' : 'integrationId';
    const owned = db.selectFrom('ownerships').select('integrationId').where(whose, '=', resourceId);
    // What a channel reported of an integration means nothing without it.
    await db.deleteFrom('watermarks').where('integrationId', 'in', owned).execute();
    await db.deleteFrom('ownerships').where(whose, '=', resourceId).execute();
    await db
      .deleteFrom('purges')
      .where('kind', '=', kind)
      .where('resourceId', '=', resourceId)
      .execute();
  }
}
