import type { Kysely } from 'kysely';

import type { Invitation, User } from '../../model/account.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { type IdempotencyRecord, recordAnswer } from '../messages/idempotency.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { recordAudit } from './audit.ts';
import { insertUser } from './users.ts';

/** Every method takes the team: invitations of other teams are not found. */
export class Invitations extends Repository {
  async insert(
    invitation: Invitation,
    answer?: IdempotencyRecord,
    audit?: AuditEntry,
  ): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await recordAnswer(trx, answer);
      await trx.insertInto('invitations').values(invitation).execute();
      await recordAudit(trx, audit);
    });
  }

  /** The invitations that can still be accepted. */
  list(teamId: Id, now: Millis, request: PageRequest): Promise<Page<Invitation>> {
    const all = this.db.selectFrom('invitations').selectAll().where('teamId', '=', teamId);
    return page(all, request, all.where('expiresAt', '>', now));
  }

  find(teamId: Id, hash: string, now: Millis): Promise<Invitation | undefined> {
    return this.db
      .selectFrom('invitations')
      .selectAll()
      .where((eb) => eb.and({ teamId, hash }))
      .where('expiresAt', '>', now)
      .executeTakeFirst();
  }

  /** Returns whether the invitation existed. */
  delete(place: Pick<Invitation, 'teamId' | 'id'>, audit?: AuditEntry): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      if (!(await remove(trx, place))) return false;
      await recordAudit(trx, audit);
      return true;
    });
  }

  /**
   * Consumes an invitation and creates the user who accepts it. Returns whether the invitation existed. Throws
   * Conflict and keeps the invitation if the email address is in use.
   */
  accept(invitation: Invitation, user: User, audit?: AuditEntry): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      if (!(await remove(trx, invitation))) return false;
      await insertUser(trx, user);
      await recordAudit(trx, audit);
      return true;
    });
  }

  async deleteExpired(now: Millis): Promise<void> {
    await this.db.deleteFrom('invitations').where('expiresAt', '<', now).execute();
  }
}

/** Returns whether it existed. */
async function remove(
  trx: Kysely<Schema>,
  { teamId, id }: Pick<Invitation, 'teamId' | 'id'>,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('invitations')
    .where((eb) => eb.and({ teamId, id }))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
