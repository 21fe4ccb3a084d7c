import type { Kysely } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import { byIds } from './by-ids.ts';
import type { Engine } from './engine.ts';
import type { Events } from './events.ts';
import type { Schema } from './schema.ts';

/** Removes messages, attempts and events that have been kept for long enough. */
export class Retention {
  readonly #engine: Engine;
  readonly #events: Events;
  /** Where looking through all messages, and then through all feeds, goes on. */
  #messagesAfter: Id | undefined = 0;
  #feedsAfter: Id = 0;

  constructor(engine: Engine, events: Events) {
    this.#engine = engine;
    this.#events = events;
  }

  /** Makes room for what comes next, where that has to be made. */
  async prepare(now: Millis, retention: Millis): Promise<void> {
    await this.#engine.partitions?.arrange(now, retention);
  }

  /**
   * Removes what was settled, or happened, longer ago than `retention`. Partitions go as a whole, so something may
   * be kept for a tenth longer. Where there are none, it looks at `limit` rows; answers whether there are others.
   */
  async removeOld(now: Millis, retention: Millis, limit: number): Promise<boolean> {
    const before = now - retention;
    const { partitions } = this.#engine;
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
   * Looks at `limit` messages that follow `after`, and removes those that were settled before `before`,
   * with their attempts. Answers where to go on, or undefined when all that follow are younger.
   */
  async #removeSettled(before: Millis, after: Id, limit: number): Promise<Id | undefined> {
    const seen = await this.#engine.db
      .selectFrom('messages')
      .select(['id', 'settledAt', 'createdAt'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    const old = seen.filter(({ settledAt }) => settledAt > 0 && settledAt < before);
    if (old.length > 0) {
      await this.#engine.db.transaction().execute(async (trx) => {
        // Whoever resends one meanwhile is first, or finds it gone.
        const removed = await trx
          .deleteFrom('messages')
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
      });
    }
    const last = seen.at(-1);
    return last && seen.length === limit && last.createdAt < before ? last.id : undefined;
  }
}

/** Removes messages of an application with all that belongs to them. */
export async function removeMessages(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  ids: readonly Id[],
): Promise<void> {
  await trx
    .deleteFrom('messages')
    .where(byIds(engine, applicationId, ids))
    .execute();
  await trx
    .deleteFrom('attempts')
    .where('applicationId', '=', applicationId)
    .where('messageId', 'in', ids)
    .execute();
}
