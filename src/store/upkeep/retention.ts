import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { byIds } from '../by-ids.ts';
import type { Engine } from '../engine.ts';
import type { Events } from '../feed/events.ts';
import { Repository } from '../repository.ts';
import { removeRoutes } from '../routes/chain.ts';
import type { Schema } from '../schema.ts';

/** Deletes messages, attempts and events past their retention. */
export class Retention extends Repository {
  readonly #events: Events;
  /** Where the scan of all messages, and then of all feeds, continues. */
  #messagesAfter: Id | undefined = 0;
  #feedsAfter: Id = 0;

  constructor(engine: Engine, events: Events) {
    super(engine);
    this.#events = events;
  }

  /** Creates upcoming partitions, if the database uses them. */
  async prepare(now: Millis, retention: Millis): Promise<void> {
    await this.engine.partitions?.createMissing(now, retention);
  }

  /**
   * Deletes messages settled, and attempts and events recorded, longer ago than `retention`. Partitions are dropped as
   * a whole, so data may be kept for a tenth longer. Without partitions, examines `limit` rows; returns whether there
   * are more.
   */
  async removeOld(now: Millis, retention: Millis, limit: number): Promise<boolean> {
    const before = now - retention;
    const { partitions } = this.engine;
    if (partitions) return partitions.remove(before, retention, limit);
    if (this.#messagesAfter !== undefined) {
      this.#messagesAfter = await this.#removeSettled(before, this.#messagesAfter, limit);
      return true;
    }
    const next = await this.#events.removeOlder(before, this.#feedsAfter, limit);
    this.#feedsAfter = next ?? 0;
    if (next === undefined) this.#messagesAfter = 0;
    return next !== undefined;
  }

  /**
   * Sweep of the embedded store: examines `limit` rows of the outbox after `after` and deletes those settled before
   * `before`, with their attempts. Returns where to continue, or undefined if all others are newer. It walks the
   * primary key in pages, because an index over `settled_at` would be written twice for every message. On PostgreSQL,
   * retention drops whole partitions instead. test/store/statements.test.ts checks the plan.
   */
  async #removeSettled(before: Millis, after: Id, limit: number): Promise<Id | undefined> {
    const seen = await this.db
      .selectFrom('outbox')
      .select(['id', 'settledAt', 'createdAt'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    const old = seen.filter(({ settledAt }) => settledAt > 0 && settledAt < before);
    if (old.length > 0) {
      await this.db.transaction().execute(async (trx) => {
        // A concurrent resend either commits first or finds the message gone.
        const removed = await trx
          .deleteFrom('outbox')
          .where(
            'id',
            'in',
            old.map(({ id }) => id),
          )
          .where('settledAt', '>', 0)
          .where('settledAt', '<', before)
          .returning('id')
          .execute();
        const ids = removed.map(({ id }) => id);
        if (ids.length === 0) return;
        await trx.deleteFrom('attempts').where('messageId', 'in', ids).execute();
        await trx.deleteFrom('routes').where('messageId', 'in', ids).execute();
      });
    }
    const last = seen.at(-1);
    return last && seen.length === limit && last.createdAt < before ? last.id : undefined;
  }
}

/** Deletes messages of an application with everything that belongs to them. */
export async function removeMessages(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  ids: readonly Id[],
): Promise<void> {
  await trx
    .deleteFrom('outbox')
    .where(byIds(engine, applicationId, ids))
    .execute();
  await trx
    .deleteFrom('attempts')
    .where('applicationId', '=', applicationId)
    .where('messageId', 'in', ids)
    .execute();
  await removeRoutes(trx, applicationId, ids);
}
