import type { Team, User } from '../model/account.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { Id } from '../model/id.ts';
import { recordAudit } from './audit.ts';
import type { Engine } from './engine.ts';
import { insertUser } from './users.ts';

export class Teams {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get(id: Id): Promise<Team | undefined> {
    return this.#engine.db.selectFrom('teams').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** All teams, oldest first: for the operator, not for tenants. */
  all(): Promise<Team[]> {
    return this.#engine.db.selectFrom('teams').selectAll().orderBy('id').execute();
  }

  /** Makes a team with its owner; throws Conflict when the owner's email address is taken. */
  async insert(team: Team, owner: User): Promise<void> {
    await this.#engine.db.transaction().execute(async (trx) => {
      await trx.insertInto('teams').values(team).execute();
      await insertUser(trx, owner);
    });
  }

  async update(
    id: Id,
    change: Partial<Omit<Team, 'id' | 'createdAt'>>,
    audit?: AuditEntry,
  ): Promise<void> {
    await this.#engine.db.transaction().execute(async (trx) => {
      await trx.updateTable('teams').set(change).where('id', '=', id).execute();
      await recordAudit(trx, audit);
    });
  }
}
