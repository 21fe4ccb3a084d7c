import { sql } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import { deleteBelongings } from './applications.ts';
import type { Engine } from './engine.ts';
import type { Purge } from './schema.ts';

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

  /** Deletes up to `limit` messages of an application; answers how many it were. */
  async deleteMessages(applicationId: Id, limit: number): Promise<number> {
    const { numDeletedRows } = await this.#engine.db
      .deleteFrom('messages')
      .where('id', 'in', (messages) =>
        messages
          .selectFrom('messages')
          .select('id')
          .where('applicationId', '=', applicationId)
          .limit(limit),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  /** Cancels up to `limit` waiting messages of an integration; answers how many it were. */
  async cancelMessages(purge: Purge, limit: number, now: Millis): Promise<number> {
    const { numUpdatedRows } = await this.#engine.db
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
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  async finish({ kind, resourceId, applicationId }: Purge): Promise<void> {
    if (kind === 'application') await deleteBelongings(this.#engine.db, applicationId);
    await this.#engine.db
      .deleteFrom('purges')
      .where('kind', '=', kind)
      .where('resourceId', '=', resourceId)
      .execute();
  }
}
