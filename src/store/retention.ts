import type { Kysely } from 'kysely';

import type { Id } from '../model/id.ts';
import { isSettled } from '../model/message.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import type { Schema } from './schema.ts';

/** Removes what has been kept for long enough. */
export class Retention {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Looks at `limit` messages that follow `after`, and removes those that were settled before `before`,
   * with their attempts. Answers where to go on, or undefined when all that follow are younger.
   */
  async removeSettled(before: Millis, after: Id, limit: number): Promise<Id | undefined> {
    const seen = await this.#engine.db
      .selectFrom('messages')
      .select(['id', 'state', 'createdAt', 'updatedAt'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    const old = seen.filter(({ state, updatedAt }) => isSettled(state) && updatedAt < before);
    if (old.length > 0) {
      const ids = old.map(({ id }) => id);
      await this.#engine.db.transaction().execute(async (trx) => {
        // Whoever resends one meanwhile is first, or finds it gone.
        const removed = await trx
          .deleteFrom('messages')
          .where('id', 'in', ids)
          .where('updatedAt', '<', before)
          .where('state', 'not in', ['queued', 'sending'])
          .returning('id')
          .execute();
        await removeAttempts(
          trx,
          removed.map(({ id }) => id),
        );
      });
    }
    const last = seen.at(-1);
    return last && seen.length === limit && last.createdAt < before ? last.id : undefined;
  }
}

/** Removes messages with all that belongs to them. */
export async function removeMessages(trx: Kysely<Schema>, ids: readonly Id[]): Promise<void> {
  await trx.deleteFrom('messages').where('id', 'in', ids).execute();
  await removeAttempts(trx, ids);
}

async function removeAttempts(trx: Kysely<Schema>, ids: readonly Id[]): Promise<void> {
  if (ids.length > 0) await trx.deleteFrom('attempts').where('messageId', 'in', ids).execute();
}
