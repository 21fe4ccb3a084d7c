import type { Kysely } from 'kysely';

import type { User } from '../model/account.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import { Conflict } from './faults.ts';
import { type IdempotencyRecord, recordAnswer } from './idempotency.ts';
import { type Page, type PageRequest, page } from './paging.ts';
import type { Schema } from './schema.ts';

/** Throws Conflict when the email address is taken. */
export async function insertUser(trx: Kysely<Schema>, user: User): Promise<void> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst();
  if (!numInsertedOrUpdatedRows) throw new Conflict('the email address is taken');
}

export class Users {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get(id: Id): Promise<User | undefined> {
    return this.#engine.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  }

  byEmail(email: string): Promise<User | undefined> {
    return this.#engine.db
      .selectFrom('users')
      .selectAll()
      .where('email', '=', email)
      .executeTakeFirst();
  }

  /** The user that was made first, whom the command line acts for unless told otherwise. */
  first(): Promise<User | undefined> {
    return this.#engine.db
      .selectFrom('users')
      .selectAll()
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
  }

  /** All users of all teams, oldest first: for the operator, not for tenants. */
  all(): Promise<User[]> {
    return this.#engine.db.selectFrom('users').selectAll().orderBy('id').execute();
  }

  list(teamId: Id, request: PageRequest): Promise<Page<User>> {
    const query = this.#engine.db.selectFrom('users').selectAll().where('teamId', '=', teamId);
    return page(query, request);
  }

  /** Throws Conflict when the email address is taken. */
  async insert(user: User, answer?: IdempotencyRecord): Promise<void> {
    await this.#engine.db.transaction().execute(async (trx) => {
      await recordAnswer(trx, answer);
      await insertUser(trx, user);
    });
  }

  /** Throws Conflict when the new email address is taken. */
  async update(id: Id, change: Partial<Omit<User, 'id' | 'teamId' | 'createdAt'>>): Promise<void> {
    await this.#engine.db.transaction().execute(async (trx) => {
      if (change.email !== undefined) {
        const holder = await trx
          .selectFrom('users')
          .select('id')
          .where('email', '=', change.email)
          .executeTakeFirst();
        if (holder && holder.id !== id) throw new Conflict('the email address is taken');
      }
      await trx.updateTable('users').set(change).where('id', '=', id).execute();
    });
  }

  async insertSignInLink(hash: string, userId: Id, expiresAt: Millis): Promise<void> {
    await this.#engine.db.insertInto('signInLinks').values({ hash, userId, expiresAt }).execute();
  }

  /** Uses a link up; answers whose it was, if it was there and not too old. */
  async takeSignInLink(hash: string, now: Millis): Promise<Id | undefined> {
    const link = await this.#engine.db
      .deleteFrom('signInLinks')
      .where('hash', '=', hash)
      .returning(['userId', 'expiresAt'])
      .executeTakeFirst();
    return link && link.expiresAt > now ? link.userId : undefined;
  }

  async deleteExpiredLinks(now: Millis): Promise<void> {
    await this.#engine.db.deleteFrom('signInLinks').where('expiresAt', '<', now).execute();
  }
}
