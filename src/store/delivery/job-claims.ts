import { type RawBuilder, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { inDatabase } from '../tables.ts';

/** A job as its callers name it. */
export interface JobKey {
  applicationId: Id;
  id: Id;
}

/** Whether a job belongs to this node, or to none that is alive. `column` has its node. */
export function isFree(
  engine: Engine,
  column: string,
  node: string,
  now: Millis,
): RawBuilder<boolean> {
  const own = sql.ref(column);
  const current = engine.databaseNow(now);
  return sql<boolean>`(${own} is null or ${own} = ${node}
    or ${own} not in (select id from nodes where expires_at > ${current}))`;
}

/** Takes these free jobs for this node; returns those that no other node took first. */
export async function takeJobs(
  engine: Engine,
  table: 'jobs' | 'contactImports',
  free: readonly (JobKey & { node: string | null })[],
  node: string,
): Promise<JobKey[]> {
  const name = sql.table(inDatabase(table));
  const owned: JobKey[] = [];
  for (const { applicationId, id, node: previous } of free) {
    if (previous !== node) {
      const before = previous === null ? sql`node is null` : sql`node = ${previous}`;
      const { numAffectedRows } = await sql`update ${name} set node = ${node}
        where application_id = ${applicationId} and id = ${id} and ${before}`.execute(engine.db);
      if ((numAffectedRows ?? 0n) === 0n) continue;
    }
    owned.push({ applicationId, id });
  }
  return owned;
}
