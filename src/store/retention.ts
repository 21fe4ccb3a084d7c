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
      await this.#engine.db.transaction().execute((trx) =>
        removeMessages(
          trx,
          old.map(({ id }) => id),
        ),
      );
    }
    const last = seen.at(-1);
    return last && seen.length === limit && last.createdAt < before ? last.id : undefined;
  }
}

/** Removes messages with all that belongs to them. */
export async function removeMessages(trx: Kysely<Schema>, ids: readonly Id[]): Promise<void> {
  await trx.deleteFrom('attempts').where('messageId', 'in', ids).execute();
  await trx.deleteFrom('messages').where('id', 'in', ids).execute();
}
