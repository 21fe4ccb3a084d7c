import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { byIds } from '../by-ids.ts';
import { deleteRows } from '../delete-rows.ts';
import type { IdempotencyKey } from '../engine.ts';
import { AlreadyAnswered } from '../faults.ts';
import { SealedRepository } from '../repository.ts';
import type { Schema } from '../schema.ts';

/** An idempotency key with the sealed response, to be stored together with the effect of the request. */
export interface IdempotencyRecord extends IdempotencyKey {
  sealedAnswer: string;
  createdAt: Millis;
}

/** The record of an earlier request with the same key. */
export interface EarlierAnswer {
  hash: string;
  messages: { id: Id; sendAt: Millis | null }[] | undefined;
  /** The stored response; undefined if it is rebuilt from the messages. */
  answer: string | undefined;
}

/** Builds the record of a request from its result, in the transaction that has the effect. */
export type RecordOf<Result> = (result: Result) => IdempotencyRecord | undefined;

/**
 * Records the response in the transaction of the effect, so that both exist or neither. Throws AlreadyAnswered if the
 * key was used before, which rolls back the transaction.
 */
export async function recordAnswer(
  trx: Kysely<Schema>,
  record: IdempotencyRecord | undefined,
): Promise<void> {
  if (!record) return;
  const { tenantId, scope, key, hash, sealedAnswer: response, createdAt } = record;
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('idempotency')
    .values({ tenantId, scope, key, hash, response, messageIds: null, createdAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (!numInsertedOrUpdatedRows)
    throw new AlreadyAnswered(`the idempotency key "${key}" was already used`);
}

export class Idempotency extends SealedRepository {
  /** Seals a response, for the method that has the effect. */
  seal(key: IdempotencyKey, answer: string, createdAt: Millis): IdempotencyRecord {
    return { ...key, sealedAnswer: this.sealer.seal(answer, placeOf(key)), createdAt };
  }

  /** Records the response of a request without another effect on the store. */
  put(record: IdempotencyRecord): Promise<void> {
    return recordAnswer(this.db, record);
  }

  async get(key: Omit<IdempotencyKey, 'hash'>): Promise<EarlierAnswer | undefined> {
    const row = await this.db
      .selectFrom('idempotency')
      .select(['hash', 'messageIds', 'response'])
      .where((eb) => eb.and({ tenantId: key.tenantId, scope: key.scope, key: key.key }))
      .executeTakeFirst();
    if (!row) return undefined;
    return {
      hash: row.hash,
      messages: row.messageIds === null ? undefined : readAccepted(row.messageIds),
      answer: row.response === null ? undefined : this.sealer.open(row.response, placeOf(key)),
    };
  }

  /**
   * Examines the next `limit` records of an application and deletes those whose messages are all gone and those whose
   * response is about a person. Returns where to continue, or undefined at the end.
   */
  async forgetPerson(
    tenantId: Id,
    after: { scope: string; key: string },
    isAbout: (answer: string) => boolean,
    limit: number,
  ): Promise<{ scope: string; key: string } | undefined> {
    const scope = `application:${tenantId}`;
    const rows = await this.db
      .selectFrom('idempotency')
      .select(['scope', 'key', 'messageIds', 'response'])
      .where('tenantId', '=', tenantId)
      .where('scope', '>=', `${scope} `)
      .where('scope', '<', `${scope}!`)
      .where(sql<boolean>`(scope, key) > (${after.scope}, ${after.key})`)
      .orderBy('scope')
      .orderBy('key')
      .limit(limit)
      .execute();
    for (const row of rows) {
      const place = { scope: row.scope, key: row.key };
      const isGone =
        row.messageIds !== null
          ? !(await this.#hasMessages(tenantId, readAccepted(row.messageIds)))
          : row.response !== null && isAbout(this.sealer.open(row.response, placeOf(place)));
      if (!isGone) continue;
      await this.db
        .deleteFrom('idempotency')
        .where((eb) => eb.and({ tenantId, ...place }))
        .execute();
    }
    return rows.length === limit ? rows.at(-1) : undefined;
  }

  async #hasMessages(applicationId: Id, messages: readonly { id: Id }[]): Promise<boolean> {
    const ids = messages.map(({ id }) => id);
    if (ids.length === 0) return true;
    const found = await this.db
      .selectFrom('messages')
      .select('id')
      .where(byIds(this.engine, applicationId, ids))
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  /** Deletes up to `limit` older records; returns how many. */
  deleteOlder(before: Millis, limit: number): Promise<number> {
    return deleteRows(this.db, 'idempotency', sql`created_at < ${before}`, limit);
  }
}

/** The accepted messages as stored: the ids, or for a scheduled message its id and time. */
function readAccepted(stored: string): { id: Id; sendAt: Millis | null }[] {
  const accepted = JSON.parse(stored) as (Id | [Id, Millis])[];
  return accepted.map((one) =>
    typeof one === 'number' ? { id: one, sendAt: null } : { id: one[0], sendAt: one[1] },
  );
}

export const placeOf = ({ scope, key }: Pick<IdempotencyKey, 'scope' | 'key'>) => ({
  table: 'idempotency',
  row: JSON.stringify([scope, key]),
  field: 'response',
});
