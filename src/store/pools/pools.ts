import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Message } from '../../model/message.ts';
import type { Pool, PoolMember } from '../../model/sending/pool.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordChanges } from '../accounts/changes.ts';
import { isUniqueViolation } from '../faults.ts';
import { type IdempotencyRecord, recordAnswer } from '../messages/idempotency.ts';
import { IN_LANE, OPEN } from '../messages/transitions.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { keyIn } from '../tables.ts';
import type { PoolMemberRow, PoolRow } from './rows.ts';

/** Why a pool was not stored. MemberTaken and MemberMissing are thrown. */
type PoolConflict = 'name_taken';

/** Pools of integrations. Every method takes the application: pools of others are not found. */
export class Pools extends Repository {
  /** Stores a pool, and the response in the same transaction. */
  create(pool: Pool, answer?: IdempotencyRecord): Promise<PoolConflict | undefined> {
    const { members: _, ...row } = pool;
    return this.db.transaction().execute(async (trx) => {
      const inserted = await trx
        .insertInto('pools')
        .values(row)
        .onConflict((conflict) => conflict.columns(['applicationId', 'name']).doNothing())
        .returning('id')
        .executeTakeFirst();
      if (!inserted) return 'name_taken';
      await recordAnswer(trx, answer);
      return this.#setMembers(trx, pool);
    });
  }

  /** Replaces everything but the id. Undefined if done. */
  update(pool: Pool): Promise<PoolConflict | 'gone' | undefined> {
    const { applicationId, id, name, strategy, failoverMs, updatedAt } = pool;
    const write = this.db.transaction().execute(async (trx) => {
      const namesake = await trx
        .selectFrom('pools')
        .select('id')
        .where((eb) => eb.and({ applicationId, name }))
        .executeTakeFirst();
      if (namesake && namesake.id !== id) return 'name_taken';
      const updated = await trx
        .updateTable('pools')
        .set({ name, strategy, failoverMs, updatedAt })
        .where((eb) => eb.and({ applicationId, id }))
        .returning('id')
        .executeTakeFirst();
      return updated ? this.#setMembers(trx, pool) : 'gone';
    });
    return write.catch((error: unknown) => {
      // Another request took the name at the same time.
      if (isUniqueViolation(error)) return 'name_taken';
      throw error;
    });
  }

  /** Rolls back by throwing, if an integration is in another pool, or was deleted. */
  async #setMembers(trx: Kysely<Schema>, pool: Pool): Promise<PoolConflict | undefined> {
    const { applicationId, id: poolId, members } = pool;
    const ids = members.map(({ integrationId }) => integrationId);
    // Waits for other pools that take one of them, in one order, and for the deletion of one.
    let integrations = trx
      .selectFrom('integrations')
      .select('id')
      .where('applicationId', '=', applicationId)
      .where('id', 'in', ids)
      .orderBy('id');
    if (this.engine.name === 'postgres') integrations = integrations.forNoKeyUpdate();
    const existing = new Set((await integrations.execute()).map(({ id }) => id));
    const missing = ids.find((id) => !existing.has(id));
    if (missing !== undefined) throw new MemberMissing(missing);
    const [other] = await trx
      .selectFrom('poolMembers')
      .select('integrationId')
      .where('applicationId', '=', applicationId)
      .where('integrationId', 'in', ids)
      .where('poolId', '!=', poolId)
      .limit(1)
      .execute();
    if (other) throw new MemberTaken(other.integrationId);
    await trx
      .deleteFrom('poolMembers')
      .where((eb) => eb.and({ applicationId, poolId }))
      .execute();
    const rows = members.map(({ integrationId, weight, priceMicros }, position) => {
      return { applicationId, poolId, integrationId, position, weight, priceMicros };
    });
    await trx.insertInto('poolMembers').values(rows).execute();
    await recordChanges(trx, applicationId);
    return undefined;
  }

  async get(applicationId: Id, id: Id): Promise<Pool | undefined> {
    const row = await this.#rows(applicationId).where('id', '=', id).executeTakeFirst();
    return row && (await this.#withMembers(applicationId, [row]))[0];
  }

  /** By the unique name. */
  async named(applicationId: Id, name: string): Promise<Pool | undefined> {
    const row = await this.#rows(applicationId).where('name', '=', name).executeTakeFirst();
    return row && (await this.#withMembers(applicationId, [row]))[0];
  }

  async list(applicationId: Id, request: PageRequest): Promise<Page<Pool>> {
    const { items, ...rest } = await page(this.#rows(applicationId), request);
    return { items: await this.#withMembers(applicationId, items), ...rest };
  }

  /** Returns whether it existed. Accepted messages keep their routes. */
  async delete(applicationId: Id, id: Id): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('pools')
        .where((eb) => eb.and({ applicationId, id }))
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await trx
        .deleteFrom('poolMembers')
        .where((eb) => eb.and({ applicationId, poolId: id }))
        .execute();
      await recordChanges(trx, applicationId);
      return true;
    });
  }

  /** The member assigned to a recipient, and the members that are failing or paused for longer than the pool allows. */
  async situation(
    { applicationId, id: poolId, members, failoverMs }: Pool,
    recipient: string,
    now: Millis,
  ): Promise<{ assigned: { integrationId: Id; updatedAt: Millis } | undefined; unhealthy: Id[] }> {
    const assigned = await this.db
      .selectFrom('poolRecipients')
      .select(['integrationId', 'updatedAt'])
      .where((eb) => eb.and({ applicationId, poolId, recipient }))
      .executeTakeFirst();
    const owned = await this.db
      .selectFrom('ownerships')
      .select(['integrationId', 'pausedReason', 'pausedUntil', 'failingSince'])
      .where('applicationId', '=', applicationId)
      .where(
        'integrationId',
        'in',
        members.map(({ integrationId }) => integrationId),
      )
      .execute();
    const unhealthy = owned.flatMap(
      ({ integrationId, pausedReason, pausedUntil, failingSince }) => {
        const isPaused = pausedReason !== null && (pausedUntil ?? Infinity) > now + failoverMs;
        return isPaused || failingSince !== null ? [integrationId] : [];
      },
    );
    return { assigned, unhealthy };
  }

  /** Whether messages wait at this member for this recipient, or are being sent. */
  async hasWaiting(
    place: Pick<Message, 'applicationId' | 'integrationId' | 'recipient'>,
  ): Promise<boolean> {
    const lane = await this.db
      .selectFrom('lanes')
      .select('dueAt')
      .where((eb) => eb.and(place))
      .executeTakeFirst();
    if (lane?.dueAt === null) return true;
    const queued = await this.db
      .selectFrom('messages')
      .select('id')
      .where(OPEN)
      .where((eb) => eb.and(place))
      .where('state', '=', 'queued')
      .where(IN_LANE)
      .limit(1)
      .executeTakeFirst();
    return queued !== undefined;
  }

  assign(
    place: { applicationId: Id; poolId: Id; recipient: string },
    integrationId: Id,
    now: Millis,
  ): Promise<void> {
    return assignMember(this.db, this.engine.name, place, integrationId, now);
  }

  #rows(applicationId: Id) {
    return this.db.selectFrom('pools').selectAll().where('applicationId', '=', applicationId);
  }

  async #withMembers(applicationId: Id, rows: readonly PoolRow[]): Promise<Pool[]> {
    if (rows.length === 0) return [];
    const members: PoolMemberRow[] = await this.db
      .selectFrom('poolMembers')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where(
        'poolId',
        'in',
        rows.map(({ id }) => id),
      )
      .orderBy('position')
      .execute();
    const byPool = Map.groupBy(members, ({ poolId }) => poolId);
    return rows.map((row) => ({ ...row, members: (byPool.get(row.id) ?? []).map(memberOf) }));
  }
}

/** An integration is in another pool. Thrown, so that the transaction is rolled back. */
export class MemberTaken extends Error {
  readonly integrationId: Id;

  constructor(integrationId: Id) {
    super(`integration ${integrationId} is in another pool`);
    this.integrationId = integrationId;
  }
}

/** An integration was deleted while the pool was stored. Thrown, so that the transaction is rolled back. */
export class MemberMissing extends Error {
  readonly integrationId: Id;

  constructor(integrationId: Id) {
    super(`integration ${integrationId} was deleted`);
    this.integrationId = integrationId;
  }
}

const memberOf = ({ integrationId, weight, priceMicros }: PoolMemberRow): PoolMember => ({
  integrationId,
  weight,
  priceMicros,
});

/** Assigns this member to the recipient. */
export async function assignMember(
  db: Kysely<Schema>,
  engine: 'sqlite' | 'postgres',
  { applicationId, poolId, recipient }: { applicationId: Id; poolId: Id; recipient: string },
  integrationId: Id,
  now: Millis,
): Promise<void> {
  await db
    .insertInto('poolRecipients')
    .values({ applicationId, poolId, recipient, integrationId, updatedAt: now })
    .onConflict((conflict) =>
      conflict
        .columns(keyIn(engine, 'poolRecipients'))
        .doUpdateSet({ integrationId, updatedAt: now }),
    )
    .execute();
}

/** Removes a deleted integration from its pool. */
export async function removeMember(
  trx: Kysely<Schema>,
  applicationId: Id,
  integrationId: Id,
): Promise<void> {
  await trx
    .deleteFrom('poolMembers')
    .where((eb) => eb.and({ applicationId, integrationId }))
    .execute();
}
