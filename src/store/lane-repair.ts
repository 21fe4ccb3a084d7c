import { sql } from 'kysely';

import type { Id } from '../model/id.ts';
import { MAX_LIMIT_MS } from '../model/retry.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';

/** How far the clocks of nodes may be apart. */
const TOLERANCE_MS = 2_000;
/** How many integrations one statement looks at. */
const BATCH = 100;

/**
 * Makes lanes due that wait for longer than any pause explains, as those that a node with a fast clock has opened: a lane
 * without a reason to wait is due at once, and none waits longer than the longest limit. For nodes that have just taken these
 * integrations over, since it goes through all of their lanes that wait.
 */
export async function repairLanes(
  { db, name }: Engine,
  integrations: readonly { applicationId: Id; integrationId: Id }[],
  now: Millis,
): Promise<void> {
  for (let i = 0; i < integrations.length; i += BATCH) {
    const batch = integrations.slice(i, i + BATCH);
    const ids = batch.map(({ integrationId }) => integrationId);
    const own =
      name === 'postgres'
        ? sql`(application_id, integration_id) in (select * from unnest(
            ${batch.map(({ applicationId }) => applicationId)}::bigint[], ${ids}::bigint[]))`
        : sql`integration_id in (select value from json_each(${JSON.stringify(ids)}))`;
    // In the order in which turns lock lanes.
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
