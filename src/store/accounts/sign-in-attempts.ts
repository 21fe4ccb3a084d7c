import { type Expression, type Kysely, sql } from 'kysely';

import type { User } from '../../model/account.ts';
import type { Millis } from '../../model/timestamp.ts';
import { SealedRepository } from '../repository.ts';
import type { Schema } from '../schema.ts';

/** Up to `burst` attempts at once, and one more every `refillMs`. */
export interface SignInLimit {
  burst: number;
  refillMs: Millis;
}

/** A limit that an attempt counts against. */
export interface SignInBucket {
  key: string;
  limit: SignInLimit;
}

type UserKey = Pick<User, 'teamId' | 'id'>;

/** Number of rows shared by all buckets of unknown callers, however many addresses and accounts they try. */
export const MAX_SLOTS = 2 ** 18;
/** Remembered addresses per user. */
export const MAX_ADDRESSES = 20;

class TooManyAttempts extends Error {
  readonly waitMs: Millis;

  constructor(waitMs: Millis) {
    super('too many sign-in attempts');
    this.waitMs = waitMs;
  }
}

/**
 * Counts wrong passwords, by the database's clock. A bucket is one timestamp, `refilledAt`, at which it is full
 * again (GCRA): each attempt moves it forward, and one that would move it past the end of its window is refused.
 */
export class SignInAttempts extends SealedRepository {
  /** Counts an attempt against all buckets or none; returns 0, or the milliseconds to wait. */
  async spend(buckets: readonly SignInBucket[], now: Millis): Promise<Millis> {
    try {
      await this.db.transaction().execute(async (trx) => {
        for (const { slot, limit } of this.#slots(buckets)) {
          await this.#spendSlot(trx, slot, limit, now);
        }
      });
      return 0;
    } catch (error) {
      if (error instanceof TooManyAttempts) return error.waitMs;
      throw error;
    }
  }

  /** Undoes one `spend`. */
  async refund(buckets: readonly SignInBucket[]): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      for (const { slot, limit } of this.#slots(buckets)) {
        await trx
          .updateTable('signInAttempts')
          .set(({ eb }) => ({ refilledAt: eb('refilledAt', '-', limit.refillMs) }))
          .where('slot', '=', slot)
          .execute();
      }
    });
  }

  /**
   * Counts an attempt for a user from an address that they signed in from before. Attackers elsewhere cannot use these
   * up. Undefined if the address is unknown.
   */
  async spendKnown(
    { teamId, id: userId }: UserKey,
    address: string,
    limit: SignInLimit,
    now: Millis,
  ): Promise<Millis | undefined> {
    const bucket = this.#bucket('refilledAt', limit, now);
    const spent = await this.db
      .updateTable('signInAddresses')
      .set({ refilledAt: bucket.next })
      .where((eb) => eb.and({ teamId, userId, address }))
      .where(bucket.hasRoom)
      .returning('refilledAt')
      .executeTakeFirst();
    if (spent) return 0;
    const blocked = await this.db
      .selectFrom('signInAddresses')
      .select(bucket.wait.as('wait'))
      .where((eb) => eb.and({ teamId, userId, address }))
      .executeTakeFirst();
    return blocked && Math.max(1, blocked.wait);
  }

  /** Remembers an address that a user signed in from, with a full bucket; drops the least recently used ones. */
  async remember({ teamId, id: userId }: UserKey, address: string, now: Millis): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await trx
        .insertInto('signInAddresses')
        .values({ teamId, userId, address, refilledAt: 0, seenAt: now })
        .onConflict((conflict) =>
          conflict
            .columns(['teamId', 'userId', 'address'])
            .doUpdateSet({ refilledAt: 0, seenAt: now }),
        )
        .execute();
      const ofUser = trx
        .selectFrom('signInAddresses')
        .select('address')
        .where('teamId', '=', teamId)
        .where('userId', '=', userId);
      await trx
        .deleteFrom('signInAddresses')
        .where((eb) => eb.and({ teamId, userId }))
        .where('address', 'not in', ofUser.orderBy('seenAt', 'desc').limit(MAX_ADDRESSES))
        .execute();
    });
  }

  async #spendSlot(
    trx: Kysely<Schema>,
    slot: number,
    limit: SignInLimit,
    now: Millis,
  ): Promise<void> {
    const bucket = this.#bucket('signInAttempts.refilledAt', limit, now);
    const spent = await trx
      .insertInto('signInAttempts')
      .values({ slot, refilledAt: this.engine.databaseNow(now, limit.refillMs) })
      .onConflict((conflict) =>
        conflict.column('slot').doUpdateSet({ refilledAt: bucket.next }).where(bucket.hasRoom),
      )
      .returning('refilledAt')
      .executeTakeFirst();
    if (spent) return;
    const { wait } = await trx
      .selectFrom('signInAttempts')
      .select(bucket.wait.as('wait'))
      .where('slot', '=', slot)
      .executeTakeFirstOrThrow();
    throw new TooManyAttempts(Math.max(1, wait));
  }

  /** A timestamp past the window was written before the clock moved backwards: it counts as an empty bucket. */
  #bucket(column: string, { burst, refillMs }: SignInLimit, now: Millis) {
    const refilledAt = sql.ref<number>(column);
    const windowMs = burst * refillMs;
    const at = (after: Millis): Expression<number> => this.engine.databaseNow(now, after);
    return {
      next: sql<number>`case when ${refilledAt} > ${at(0)} and ${refilledAt} <= ${at(windowMs)}
        then ${refilledAt} else ${at(0)} end + ${refillMs}`,
      hasRoom: sql<boolean>`(${refilledAt} <= ${at(windowMs - refillMs)} or ${refilledAt} > ${at(windowMs)})`,
      wait: sql<number>`${refilledAt} - ${at(windowMs - refillMs)}`,
    };
  }

  /**
   * Maps buckets to rows by a keyed hash, so that an attacker cannot find names that share a victim's row. Sorted, so
   * that transactions cannot deadlock.
   */
  #slots(buckets: readonly SignInBucket[]): { slot: number; limit: SignInLimit }[] {
    return buckets
      .map(({ key, limit }) => ({
        slot: this.sealer.fingerprint(key).readUInt32BE() % MAX_SLOTS,
        limit,
      }))
      .toSorted((a, b) => a.slot - b.slot);
  }
}
