import type { Kysely } from 'kysely';

import type { User } from '../../model/account.ts';
import type { AuditEntry } from '../../model/audit.ts';
import { type Id, NO_ID } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { Conflict, OwnsTeam, isUniqueViolation } from '../faults.ts';
import { type IdempotencyRecord, recordAnswer } from '../messages/idempotency.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { recordAudit } from './audit.ts';
import { recordChanges } from './changes.ts';
import { endSessions, endSignIns } from './sessions.ts';

/** Throws Conflict if the email address is in use. */
export async function insertUser(trx: Kysely<Schema>, user: User): Promise<void> {
  const { email, teamId, id: userId } = user;
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('emails')
    .values({ email, teamId, userId })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst();
  if (!numInsertedOrUpdatedRows) throw new Conflict('the email address is already in use');
  await trx.insertInto('users').values(user).execute();
}

type UserChange = Partial<Omit<User, 'id' | 'teamId' | 'createdAt'>>;

async function applyChange(
  trx: Kysely<Schema>,
  id: Id,
  change: UserChange,
  keepLogin: Id,
  audit: AuditEntry | undefined,
): Promise<void> {
  const user = await trx
    .updateTable('users')
    .set(change)
    .where('id', '=', id)
    .returning(['teamId', 'state'])
    .executeTakeFirst();
  if (user?.state === 'disable') await endSessions(trx, user.teamId, id);
  await recordAudit(trx, audit);
  const { email } = change;
  if (email !== undefined) {
    await trx.updateTable('emails').set({ email }).where('userId', '=', id).execute();
  }
  if (change.password !== undefined) await revokeLogins(trx, id, keepLogin);
  await recordChanges(trx, id);
}

async function revokeLogins(trx: Kysely<Schema>, id: Id, keepLogin: Id): Promise<void> {
  await trx.deleteFrom('signInLinks').where('userId', '=', id).execute();
  await trx
    .deleteFrom('keys')
    .where((eb) => eb.and({ kind: 'user', resourceId: id, purpose: 'login' }))
    .where('id', '<>', keepLogin)
    .execute();
}

/** Throws OwnsTeam for the team's owner. Writes the team's row, so that nobody can transfer the team meanwhile. */
async function refuseOwner(trx: Kysely<Schema>, teamId: Id, id: Id): Promise<void> {
  const team = await trx
    .updateTable('teams')
    .set(({ ref }) => ({ ownerId: ref('ownerId') }))
    .where('id', '=', teamId)
    .returning('ownerId')
    .executeTakeFirst();
  if (team?.ownerId === id) throw new OwnsTeam();
}

export class Users extends Repository {
  get(id: Id): Promise<User | undefined> {
    return this.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  }

  byEmail(email: string): Promise<User | undefined> {
    return this.db
      .selectFrom('emails')
      .innerJoin('users', (join) =>
        join.onRef('users.teamId', '=', 'emails.teamId').onRef('users.id', '=', 'emails.userId'),
      )
      .selectAll('users')
      .where('emails.email', '=', email)
      .executeTakeFirst();
  }

  /** The oldest user, whom the command line acts for by default. */
  first(): Promise<User | undefined> {
    return this.db.selectFrom('users').selectAll().orderBy('id').limit(1).executeTakeFirst();
  }

  /** Whether any user of any team has a password. */
  async anyPassword(): Promise<boolean> {
    const found = await this.db
      .selectFrom('users')
      .select('id')
      .where('password', 'is not', null)
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  /** All users of all teams, oldest first; for the operator, not for tenants. */
  all(): Promise<User[]> {
    return this.db.selectFrom('users').selectAll().orderBy('id').execute();
  }

  list(teamId: Id, request: PageRequest): Promise<Page<User>> {
    const query = this.db.selectFrom('users').selectAll().where('teamId', '=', teamId);
    return page(query, request);
  }

  /** Throws Conflict if the email address is in use. */
  async insert(user: User, answer?: IdempotencyRecord, audit?: AuditEntry): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await recordAnswer(trx, answer);
      await insertUser(trx, user);
      await recordAudit(trx, audit);
    });
  }

  /**
   * Throws Conflict if the new email address is in use. A new password ends the user's sign-ins, except the one with
   * the key `keepLogin`, and deletes their sign-in links. Disabling a user ends their sessions.
   */
  async update(
    id: Id,
    change: UserChange,
    keepLogin: Id = NO_ID,
    audit?: AuditEntry,
  ): Promise<void> {
    await this.#change((trx) => applyChange(trx, id, change, keepLogin, audit));
  }

  /** Like `update`, but throws OwnsTeam instead of disabling the team's owner. */
  async updateMember(
    { id, teamId }: Pick<User, 'id' | 'teamId'>,
    change: UserChange,
    keepLogin: Id,
    audit?: AuditEntry,
  ): Promise<void> {
    await this.#change(async (trx) => {
      if (change.state === 'disable') await refuseOwner(trx, teamId, id);
      await applyChange(trx, id, change, keepLogin, audit);
    });
  }

  /** Sets a new password; on request also revokes the user's own keys and tokens. */
  async changePassword(
    { id, teamId }: Pick<User, 'id' | 'teamId'>,
    change: Pick<User, 'password' | 'updatedAt'>,
    { keepLogin, revokeKeys }: { keepLogin: Id; revokeKeys: boolean },
    audit?: AuditEntry,
  ): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await applyChange(trx, id, change, keepLogin, audit);
      if (!revokeKeys) return;
      await trx
        .deleteFrom('keys')
        .where((eb) => eb.and({ teamId, kind: 'user', resourceId: id }))
        .where('id', '<>', keepLogin)
        .execute();
    });
  }

  /** Throws Conflict if the email address is in use. */
  async #change(apply: (trx: Kysely<Schema>) => Promise<void>): Promise<void> {
    try {
      await this.db.transaction().execute(apply);
    } catch (error) {
      if (isUniqueViolation(error)) throw new Conflict('the email address is already in use');
      throw error;
    }
  }

  /**
   * Deletes a user with their sign-ins and invitations, and assigns their applications to the team's owner. On
   * request also revokes keys that they created for others. Throws OwnsTeam if they own the team. Returns whether the
   * user existed.
   */
  delete(
    { teamId, id }: Pick<User, 'teamId' | 'id'>,
    { ownerId, revokeKeys }: { ownerId: Id; revokeKeys: boolean },
    now: Millis,
    audit?: AuditEntry,
  ): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      await refuseOwner(trx, teamId, id);
      const { numDeletedRows } = await trx
        .deleteFrom('users')
        .where((eb) => eb.and({ teamId, id }))
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await trx.deleteFrom('emails').where('userId', '=', id).execute();
      await endSignIns(trx, teamId, id);
      await trx
        .deleteFrom('signInAddresses')
        .where((eb) => eb.and({ teamId, userId: id }))
        .execute();
      await trx
        .deleteFrom('keys')
        .where((eb) => eb.and({ teamId, kind: 'user', resourceId: id }))
        .execute();
      if (revokeKeys) {
        await trx
          .deleteFrom('keys')
          .where((eb) => eb.and({ teamId, createdBy: id }))
          .execute();
      }
      await trx
        .deleteFrom('invitations')
        .where((eb) => eb.and({ teamId, invitedBy: id }))
        .execute();
      await trx
        .updateTable('applications')
        .set({ ownerId, updatedAt: now })
        .where((eb) => eb.and({ teamId, ownerId: id }))
        .execute();
      await recordAudit(trx, audit);
      // Keys that they created may belong to any application of the team.
      await recordChanges(trx, id, ...(revokeKeys ? [teamId] : []));
      return true;
    });
  }

  /** Stores the same password with another hash; ends no session. */
  async rehash(id: Id, password: string): Promise<void> {
    await this.db.updateTable('users').set({ password }).where('id', '=', id).execute();
  }

  async insertSignInLink(
    hash: string,
    userId: Id,
    expiresAt: Millis,
    audit?: AuditEntry,
  ): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await trx.insertInto('signInLinks').values({ hash, userId, expiresAt }).execute();
      await recordAudit(trx, audit);
    });
  }

  /** Consumes a sign-in link; returns its user if it existed and was not expired. */
  async takeSignInLink(hash: string, now: Millis): Promise<Id | undefined> {
    const link = await this.db
      .deleteFrom('signInLinks')
      .where('hash', '=', hash)
      .returning(['userId', 'expiresAt'])
      .executeTakeFirst();
    return link && link.expiresAt > now ? link.userId : undefined;
  }

  async deleteExpiredLinks(now: Millis): Promise<void> {
    await this.db.deleteFrom('signInLinks').where('expiresAt', '<', now).execute();
  }
}
