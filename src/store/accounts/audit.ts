import { type Kysely, sql } from 'kysely';

import type { AuditAction, AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { deleteRows } from '../delete-rows.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';

export interface AuditFilter {
  actions?: readonly AuditAction[];
  actorId?: Id;
  subjectId?: Id;
  applicationId?: Id;
  createdAfter?: Millis;
  createdBefore?: Millis;
}

/** Records who changed what in the same transaction as the change. */
export async function recordAudit(
  trx: Kysely<Schema>,
  entry: AuditEntry | undefined,
): Promise<void> {
  if (entry) await trx.insertInto('auditEntries').values(entry).execute();
}

/** The audit log. Entries are never changed; only retention removes them. */
export class AuditLog extends Repository {
  list(teamId: Id, filter: AuditFilter, request: PageRequest): Promise<Page<AuditEntry>> {
    const { actions, actorId, subjectId, applicationId, createdAfter, createdBefore } = filter;
    const all = this.db.selectFrom('auditEntries').selectAll().where('teamId', '=', teamId);
    let wanted = all;
    if (actions) wanted = wanted.where('action', 'in', actions);
    if (actorId !== undefined) wanted = wanted.where('actorId', '=', actorId);
    if (subjectId !== undefined) wanted = wanted.where('subjectId', '=', subjectId);
    if (applicationId !== undefined) wanted = wanted.where('applicationId', '=', applicationId);
    if (createdAfter !== undefined) wanted = wanted.where('createdAt', '>', createdAfter);
    if (createdBefore !== undefined) wanted = wanted.where('createdAt', '<', createdBefore);
    return page(all, request, wanted);
  }

  /** Deletes up to `limit` older entries; returns how many. */
  removeOlder(before: Millis, limit: number): Promise<number> {
    return deleteRows(this.db, 'auditEntries', sql`created_at < ${before}`, limit);
  }
}
