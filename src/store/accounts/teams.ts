import type { Kysely } from 'kysely';

import type { Team, User } from '../../model/account.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import { Conflict } from '../faults.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { recordAudit } from './audit.ts';
import { recordChanges } from './changes.ts';
import { insertUser } from './users.ts';

async function checkOwner(trx: Kysely<Schema>, teamId: Id, ownerId: Id): Promise<void> {
  const owner = await trx
    .selectFrom('users')
    .select('state')
    .where((eb) => eb.and({ teamId, id: ownerId }))
    .executeTakeFirst();
  if (owner?.state !== 'enable') throw new Conflict('the owner is not enabled');
}

export class Teams extends Repository {
  get(id: Id): Promise<Team | undefined> {
    return this.db.selectFrom('teams').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** All teams, oldest first; for the operator, not for tenants. */
  all(): Promise<Team[]> {
    return this.db.selectFrom('teams').selectAll().orderBy('id').execute();
  }

  /** Creates a team with its owner; throws Conflict if the owner's email address is in use. */
  async insert(team: Team, owner: User): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await trx.insertInto('teams').values(team).execute();
      await insertUser(trx, owner);
    });
  }

  /** Throws Conflict if the new owner is not an enabled user of the team. */
  async update(
    id: Id,
    change: Partial<Omit<Team, 'id' | 'createdAt'>>,
    audit?: AuditEntry,
  ): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await trx.updateTable('teams').set(change).where('id', '=', id).execute();
      if (change.ownerId !== undefined) await checkOwner(trx, id, change.ownerId);
      await recordAudit(trx, audit);
      await recordChanges(trx, id);
    });
  }
}
