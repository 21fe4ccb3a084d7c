import { type RawBuilder, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';

/** Integrations per statement, so that other statements run in between. */
const MAX_BATCH = 1_000;

/** An integration with something to send, and when it became due. */
export interface DueIntegration {
  integrationId: Id;
  dueAt: Millis;
}

/** The integration after which the next page starts. */
interface IntegrationKey {
  applicationId: Id;
  integrationId: Id;
}

export interface DuePage {
  due: DueIntegration[];
  /** Undefined on the last page. */
  next: IntegrationKey | undefined;
}

interface Row extends IntegrationKey {
  dueAt: Millis | null;
  isOpen: 0 | 1;
}

/**
 * Due: a page of the integrations of a node that may send and have a due lane.
 *
 * The recursive part jumps from one integration with lanes to the next (a loose index scan) on lanes_due in
 * PostgreSQL, and on the indexes of lanes in SQLite: one lookup per integration, however many lanes and messages
 * wait. Ownership, integration and application are then looked up by primary keys. The left joins prevent a planner
 * mistake: with inner joins, SQLite starts from everything that the node owns and repeats the scan of busy
 * integrations for each.
 * test/store/ownerships.test.ts checks the paging, test/store/statements.test.ts the plans.
 */
export async function dueIntegrations(
  { db, name }: Engine,
  node: string,
  now: Millis,
  after: IntegrationKey = { applicationId: 0, integrationId: 0 },
): Promise<DuePage> {
  const { rows } = await sql<Row>`
    with recursive ${name === 'postgres' ? firstDue(after) : firstDueEmbedded(after)}
    select f.application_id, f.integration_id, f.due_at, case when o.node = ${node}
        and i.state = 'enable' and a.state = 'enable'
        and (o.paused_reason is null or o.paused_until <= ${now}) then 1 else 0 end as is_open
    from first_due f
    left join ownerships o
      on o.application_id = f.application_id and o.integration_id = f.integration_id
    left join integrations i on i.application_id = f.application_id and i.id = f.integration_id
    left join applications a on a.id = f.application_id`.execute(db);
  const due = rows.flatMap(({ integrationId, dueAt, isOpen }) =>
    isOpen === 1 && dueAt !== null && dueAt <= now ? [{ integrationId, dueAt }] : [],
  );
  return { due, next: rows.length < MAX_BATCH ? undefined : rows.at(-1) };
}

function firstDue({ applicationId, integrationId }: IntegrationKey): RawBuilder<unknown> {
  return sql`first_due (application_id, integration_id, due_at, place) as (
    (select application_id, integration_id, due_at, 1 from lanes
      where due_at is not null and (application_id, integration_id) > (${applicationId}, ${integrationId})
      order by application_id, integration_id, due_at limit 1)
    union all
    select l.*, f.place + 1 from first_due f cross join lateral
      (select application_id, integration_id, due_at from lanes
        where due_at is not null
          and (application_id, integration_id) > (f.application_id, f.integration_id)
        order by application_id, integration_id, due_at limit 1) l
    where f.place < ${MAX_BATCH}
  )`;
}

/** In SQLite, the key of lanes starts with the integration id, which is unique there. */
function firstDueEmbedded({ integrationId }: IntegrationKey): RawBuilder<unknown> {
  return sql`busy (id, place) as (
    select min(integration_id), 1 from lanes where integration_id > ${integrationId}
    union all
    select (select min(integration_id) from lanes where integration_id > busy.id), busy.place + 1
    from busy where busy.id is not null and busy.place < ${MAX_BATCH}
  ), first_due as (
    select (select application_id from ownerships where integration_id = busy.id) as application_id,
      busy.id as integration_id,
      (select min(due_at) from lanes where integration_id = busy.id and due_at is not null) as due_at
    from busy where busy.id is not null
  )`;
}
