import { sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { MAX_LIMIT_MS } from '../../model/policies/retry.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';

/** Maximum difference between the clocks of nodes. */
const TOLERANCE_MS = 2_000;
const INTEGRATIONS_PER_STATEMENT = 100;

/**
 * Finds lanes that wait longer than any pause can explain, such as those opened by a node with a fast clock, and makes
 * them due now: a lane without a reason to wait must be due, and none may wait longer than the longest limit. Only for
 * integrations that a node has just claimed, because it scans all their waiting lanes.
 */
export async function repairLanes(
  { db, name }: Engine,
  integrations: readonly { applicationId: Id; integrationId: Id }[],
  now: Millis,
): Promise<void> {
  for (let i = 0; i < integrations.length; i += INTEGRATIONS_PER_STATEMENT) {
    const batch = integrations.slice(i, i + INTEGRATIONS_PER_STATEMENT);
    const ids = batch.map(({ integrationId }) => integrationId);
    const own =
      name === 'postgres'
        ? sql`(application_id, integration_id) in (select * from unnest(
            ${batch.map(({ applicationId }) => applicationId)}::bigint[], ${ids}::bigint[]))`
        : sql`integration_id in (select value from json_each(${JSON.stringify(ids)}))`;
    // The order in which dispatch rounds lock lanes.
    const lock = name === 'postgres' ? sql`for update` : sql``;
    await sql`with late as (
        select application_id, integration_id, recipient from lanes
        where ${own} and due_at > ${now + TOLERANCE_MS}
          and (reason is null or due_at > ${now + MAX_LIMIT_MS + TOLERANCE_MS})
        order by application_id, integration_id, recipient ${lock}
      )
      update lanes set due_at = ${now} where (application_id, integration_id, recipient) in
        (select application_id, integration_id, recipient from late)`.execute(db);
  }
}
