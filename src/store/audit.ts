import { type Kysely, sql } from 'kysely';

import type { AuditAction, AuditEntry } from '../model/audit.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import { type Page, type PageRequest, page } from './paging.ts';
import type { Schema } from './schema.ts';

/** Which entries are meant. */
export interface AuditFilter {
  actions?: readonly AuditAction[];
  actorId?: Id;
  subjectId?: Id;
  applicationId?: Id;
  createdAfter?: Millis;
  createdBefore?: Millis;
}

/** Writes down who changed what within the transaction that changes it: both are there, or neither. */
export async function recordAudit(
  trx: Kysely<Schema>,
  entry: AuditEntry | undefined,
): Promise<void> {
  if (entry) await trx.insertInto('auditEntries').values(entry).execute();
}

/** Who changed what. Nothing changes an entry, and only age removes one. */
export class AuditLog {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  list(teamId: Id, filter: AuditFilter, request: PageRequest): Promise<Page<AuditEntry>> {
    const { actions, actorId, subjectId, applicationId, createdAfter, createdBefore } = filter;
    const all = this.#engine.db.selectFrom('auditEntries').selectAll().where('teamId', '=', teamId);
    let wanted = all;
    if (actions) wanted = wanted.where('action', 'in', actions);
    if (actorId !== undefined) wanted = wanted.where('actorId', '=', actorId);
    if (subjectId !== undefined) wanted = wanted.where('subjectId', '=', subjectId);
    if (applicationId !== undefined) wanted = wanted.where('applicationId', '=', applicationId);
    if (createdAfter !== undefined) wanted = wanted.where('createdAt', '>', createdAfter);
    if (createdBefore !== undefined) wanted = wanted.where('createdAt', '<', createdBefore);
    return page(all, request, wanted);
  }

  /** Removes up to `limit` that are older; answers how many it were. */
  async removeOlder(before: Millis, limit: number): Promise<number> {
    const { numAffectedRows } = await sql`delete from audit_entries where (team_id, id) in
      (select team_id, id from audit_entries where created_at < ${before} limit ${limit})`.execute(
      this.#engine.db,
    );
    return Number(numAffectedRows ?? 0);
  }
}
