import { type Kysely, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import { type Message, type MessageState, mayPrecede } from '../model/message.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import type { Lane, Ownership, Schema } from './schema.ts';
import { TOLD, tell } from './telling.ts';

/** What became of a request to change a message. */
export type Change =
  | { changed: true; integrationId: Id }
  | { changed: false; state: MessageState | 'orphaned' }
  | undefined;

/** All that decides when a message that is queued will be sent. */
export interface Circumstances {
  lane: Pick<Lane, 'dueAt' | 'messageId' | 'reason'> | undefined;
  pause: Pick<Ownership, 'pausedReason' | 'pausedDetail' | 'pausedUntil'> | undefined;
  enabled: boolean;
  /** Whether another message of its lane goes first. */
  isBehind: boolean;
}

/** How many are counted at once. */
const COUNTED = 5_000;

/** How many messages are queued for integrations of that channel. */
export interface Depth {
  name: string | null;
  count: number;
}

type Place = Pick<Message, 'integrationId' | 'recipient'>;

/**
 * Takes messages out of their lanes, and puts them in again. Lanes are locked before messages, and in
 * their own order, as turns do.
 */
export class Lanes {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Cancels a message that is not being sent. Undefined when there is no such message. */
  cancel(applicationId: Id, id: Id, now: Millis): Promise<Change> {
    return this.#engine.db.transaction().execute(async (trx) => {
      const message = await find(trx, applicationId, id);
      if (!message) return undefined;
      await this.#lock(trx, [message]);
      const canceled = await trx
        .updateTable('messages')
        .set({ state: 'canceled', updatedAt: now })
        .where('id', '=', id)
        .where('state', 'in', mayPrecede('canceled'))
        .returning(TOLD)
        .executeTakeFirst();
      if (!canceled) return unchanged(trx, applicationId, id);
      await proceed(trx, [{ ...message, id }], now);
      await tell(trx, [canceled], 'canceled', now);
      return { changed: true, integrationId: message.integrationId };
    });
  }

  /**
   * Puts a message that came to nothing at the end of its lane, to be sent as if it were new, but for the
   * parts of it that are out already. Undefined when there is no such message.
   */
  async resend(applicationId: Id, id: Id, now: Millis): Promise<Change> {
    const sequence = await this.#engine.nextSequence();
    return this.#engine.db.transaction().execute(async (trx) => {
      const message = await find(trx, applicationId, id);
      if (!message) return undefined;
      const { integrationId, recipient } = message;
      const integration = await trx
        .selectFrom('integrations')
        .select('id')
        .where('id', '=', integrationId)
        .executeTakeFirst();
      if (!integration) return { changed: false, state: 'orphaned' };
      await trx
        .insertInto('lanes')
        .values({ integrationId, recipient, dueAt: now, version: 0 })
        .onConflict((conflict) =>
          conflict
            .columns(['integrationId', 'recipient'])
            .doUpdateSet(({ eb }) => ({ version: eb('lanes.version', '+', 1) })),
        )
        .execute();
      const again = { attempts: 0, reason: null, detail: null, expiresAt: null };
      const { numUpdatedRows } = await trx
        .updateTable('messages')
        .set({ state: 'queued', sequence, ...again, updatedAt: now })
        .where('id', '=', id)
        .where(
          'state',
          'in',
          mayPrecede('queued').filter((state) => state !== 'sending'),
        )
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return unchanged(trx, applicationId, id);
      return { changed: true, integrationId };
    });
  }

  /** Ends up to `limit` messages that are not worth sending any more; answers whose they were. */
  async expire(now: Millis, limit: number): Promise<(Place & Pick<Message, 'applicationId'>)[]> {
    const late = await this.#engine.db
      .selectFrom('messages')
      .select(['id', 'integrationId', 'recipient'])
      .where('state', '=', sql.lit('queued'))
      .where('expiresAt', 'is not', null)
      .where('expiresAt', '<=', now)
      .orderBy('expiresAt')
      .limit(limit)
      .execute();
    if (late.length === 0) return [];
    return this.#engine.db.transaction().execute(async (trx) => {
      await this.#lock(trx, late);
      const ids = late.map(({ id }) => id);
      const expired = await trx
        .updateTable('messages')
        .set({ state: 'expired', reason: 'expired', updatedAt: now })
        .where('id', 'in', ids)
        .where('state', '=', 'queued')
        .returning(TOLD)
        .execute();
      await proceed(trx, late, now);
      await tell(trx, expired, 'expired', now);
      return expired;
    });
  }

  async circumstances(message: Message): Promise<Circumstances> {
    const { integrationId, applicationId, recipient, sequence } = message;
    const { db } = this.#engine;
    const [lane, pause, open, first] = await Promise.all([
      db
        .selectFrom('lanes')
        .select(['dueAt', 'messageId', 'reason'])
        .where('integrationId', '=', integrationId)
        .where('recipient', '=', recipient)
        .executeTakeFirst(),
      db
        .selectFrom('ownerships')
        .select(['pausedReason', 'pausedDetail', 'pausedUntil'])
        .where('integrationId', '=', integrationId)
        .executeTakeFirst(),
      db
        .selectFrom('integrations')
        .innerJoin('applications', 'applications.id', 'integrations.applicationId')
        .select('integrations.id')
        .where('integrations.id', '=', integrationId)
        .where('applications.id', '=', applicationId)
        .where('integrations.state', '=', 'enable')
        .where('applications.state', '=', 'enable')
        .executeTakeFirst(),
      db
        .selectFrom('messages')
        .select('sequence')
        .where('integrationId', '=', integrationId)
        .where('recipient', '=', recipient)
        .where('state', '=', sql.lit('queued'))
        .orderBy('sequence')
        .limit(1)
        .executeTakeFirst(),
    ]);
    const underWay = lane?.dueAt === null && lane.messageId !== message.id;
    const isBehind = underWay || (first !== undefined && first.sequence < sequence);
    return { lane, pause, enabled: open !== undefined, isBehind };
  }

  /** How many messages are queued, a bite of one integration after the other. */
  async *depths(): AsyncGenerator<{ counts: Depth[]; isLast: boolean }> {
    const { db } = this.#engine;
    let after = { integrationId: 0, recipient: '', sequence: 0 };
    for (;;) {
      const { integrationId, recipient, sequence } = after;
      const start = sql`(${integrationId}, ${recipient}, ${sequence})`;
      const { rows: ends } = await sql<typeof after>`
        select integration_id, recipient, sequence from messages
        where state = 'queued' and (integration_id, recipient, sequence) > ${start}
        order by integration_id, recipient, sequence limit 1 offset ${COUNTED}`.execute(db);
      const [end] = ends;
      const upTo = end
        ? sql`and (m.integration_id, m.recipient, m.sequence)
            <= (${end.integrationId}, ${end.recipient}, ${end.sequence})`
        : sql``;
      const { rows: counts } = await sql<Depth>`
        select i.name, count(*) as count from messages m
        left join integrations i on i.id = m.integration_id
        where m.state = 'queued' and (m.integration_id, m.recipient, m.sequence) > ${start} ${upTo}
        group by i.name`.execute(db);
      yield { counts, isLast: !end };
      if (!end) return;
      after = end;
    }
  }

  async #lock(trx: Kysely<Schema>, places: readonly Place[]): Promise<void> {
    // In SQLite, a transaction that writes is alone as it is.
    if (this.#engine.name !== 'postgres') return;
    await sql`select 1 from lanes
      where (integration_id, recipient) in (select * from unnest(
        ${places.map(({ integrationId }) => integrationId)}::bigint[],
        ${places.map(({ recipient }) => recipient)}::text[]))
      order by integration_id, recipient for update`.execute(trx);
  }
}

function find(trx: Kysely<Schema>, applicationId: Id, id: Id) {
  return trx
    .selectFrom('messages')
    .select(['integrationId', 'recipient', 'state'])
    .where('applicationId', '=', applicationId)
    .where('id', '=', id)
    .where('type', '!=', 'Event')
    .executeTakeFirst();
}

/** A lane that waited to try one of these messages again has nothing to wait for. */
async function proceed(
  trx: Kysely<Schema>,
  messages: readonly (Place & { id: Id })[],
  now: Millis,
): Promise<void> {
  for (const { id, integrationId, recipient } of messages) {
    await trx
      .updateTable('lanes')
      .set({ dueAt: now, messageId: null, reason: null })
      .where('integrationId', '=', integrationId)
      .where('recipient', '=', recipient)
      .where('messageId', '=', id)
      .where('dueAt', 'is not', null)
      .execute();
  }
}

async function unchanged(trx: Kysely<Schema>, applicationId: Id, id: Id): Promise<Change> {
  const message = await find(trx, applicationId, id);
  return message && { changed: false, state: message.state };
}
