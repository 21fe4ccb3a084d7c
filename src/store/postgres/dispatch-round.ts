import type { ClientBase } from 'pg';

import type { Id } from '../../model/id.ts';
import type {
  IntegrationStatus,
  ClaimedMessage,
  DispatchRound,
  DispatchResult,
  ClaimRequest,
} from '../delivery/dispatch-round.ts';
import { int4Array, int8Array } from './arrays.ts';
import { type Connections, promptly } from './connections.ts';
import type { Named } from './named.ts';
import { settle } from './settle.ts';

/*
 * Starts messages: for each requested integration, finds up to `count` due lanes, sets the first queued message of
 * each to `sending`, and returns these messages together with the status of every integration.
 *
 * Locks: application, integration and ownership first, so that disabling or taking over an integration and this
 * statement wait for each other; then lanes in key order, then messages. All statements use this order, so they
 * cannot deadlock.
 *
 * Indexes: lanes_due (application_id, integration_id, due_at) finds the due lanes, messages_by_lane
 * (integration_id, recipient, sequence) on messages_open finds the first message of each, and the rest is looked up
 * by primary keys.
 *
 * Planner mistakes. Statistics of these tables are often missing or were collected while a table was empty. The
 * planner then believes that reading a whole index is as cheap as a lookup, keeps that plan, and the statement
 * becomes slow once the table grows. These tricks leave it no such choice:
 * - `= any (array[…])` joins by index lookup only. With `=`, the planner may merge-join by reading an index from end
 *   to end.
 * - `node || ''`, `coalesce(application_id, 0)` and `coalesce(due_at, …)` hide a column, so that an index that starts
 *   with it is not considered; `sequence > 0` selects the partial index messages_by_lane.
 * - messages_open is named directly instead of by `settled_at = 0`, for which an index could be scanned.
 * - The parameters are wrapped in `(select $3)`, which hides the array lengths. Otherwise a plan for one integration
 *   looks cheaper than the generic plan, and PostgreSQL plans the statement anew each time, which takes twice as
 *   long as running it.
 *
 * test/store/plans.test.ts checks the plans with empty, missing, fresh and outdated statistics, and that they are
 * made once.
 */
export const TAKE = `
with wanted as materialized (
  select * from unnest((select $3::bigint[]), (select $4::bigint[]), (select $5::int[]), (select $6::bigint[]))
    as w (integration_id, fence, count, application_id)
), applications_open as materialized (
  select a.id from applications a
  where a.state = 'enable' and a.id in (select application_id from wanted)
  order by a.id for share
), integrations_open as materialized (
  select i.id from wanted w join integrations i on i.application_id = w.application_id and i.id = w.integration_id
  where i.state = 'enable' and w.application_id in (select id from applications_open)
  order by i.id for share of i
), granted as materialized (
  select o.application_id, o.integration_id, w.count
  from ownerships o join wanted w using (application_id, integration_id)
  where o.node || '' = $1 and o.fence = w.fence and o.integration_id in (select id from integrations_open)
    and (o.paused_reason is null or o.paused_until <= $2)
  order by o.integration_id for share of o
), due as materialized (
  select l.application_id, l.integration_id, l.recipient, l.version, first.id, first.sequence
  from granted g
  cross join lateral (select * from lanes
    where application_id = g.application_id and integration_id = g.integration_id and due_at <= (select $2::bigint)
    order by due_at limit g.count) l
  left join lateral (select m.id, m.sequence from messages_open m
    where coalesce(m.application_id, 0) = l.application_id and m.integration_id = l.integration_id
      and m.recipient = l.recipient and m.sequence > 0 and m.state = 'queued'
      and (m.expires_at is null or m.expires_at > $2)
    order by m.sequence limit 1) first on true
), locked as materialized (
  select d.application_id, d.integration_id, d.recipient, l.version = d.version as unchanged, d.id, d.sequence
  from due d join lanes l on l.application_id = any (array[d.application_id])
    and l.integration_id = any (array[d.integration_id]) and l.recipient = any (array[d.recipient])
  where coalesce(l.due_at, $2 + 1) <= $2
  order by d.application_id, d.integration_id, d.recipient for update of l
), started as (
  update messages_open m set state = 'sending', starts = m.starts + 1, updated_at = $2
  from locked k where m.application_id = any (array[k.application_id]) and m.id = any (array[k.id])
    and m.sequence = k.sequence and m.state = 'queued'
  returning m.id, m.application_id, m.integration_id, m.recipient, m.activity, m.attempts, m.starts, m.parts_sent,
    m.channel_ids, m.object_id, m.reason, m.created_at, m.trace
), held as (
  update lanes l set due_at = null, message_id = s.id, reason = null
  from started s where l.application_id = any (array[s.application_id])
    and l.integration_id = any (array[s.integration_id]) and l.recipient = any (array[s.recipient])
), closed as (
  delete from lanes l using locked k
  where k.id is null and k.unchanged and l.application_id = any (array[k.application_id])
    and l.integration_id = any (array[k.integration_id]) and l.recipient = any (array[k.recipient])
)
select w.integration_id, coalesce(o.node = $1 and o.fence = w.fence, false) as owned,
  exists (select 1 from granted g where g.integration_id = w.integration_id) as open,
  (select count(*) from (select 1 from lanes l where l.application_id = w.application_id
    and l.integration_id = w.integration_id and l.due_at <= (select $2::bigint) limit w.count + 1) l) as found,
  (select min(l.due_at) from lanes l where l.application_id = w.application_id
    and l.integration_id = w.integration_id and l.due_at > $2) as next_due_at,
  o.paused_until, coalesce(o.failures > 0, false) or o.failing_since is not null as unhealthy, i.name, i.credentials, a.uncertain,
  null::bigint as id, null::bigint as application_id, null as recipient, null as activity, null::int as attempts,
  null::int as starts, null::int as parts_sent, null as channel_ids, null as object_id, null as reason,
  null::bigint as created_at, null as trace
from wanted w
left join ownerships o on o.application_id = w.application_id and o.integration_id = w.integration_id
left join integrations i on i.application_id = w.application_id and i.id = w.integration_id
left join applications a on a.id = w.application_id
union all
select integration_id, null, null, null, null, null, null, null, null, null, id, application_id, recipient, activity,
  attempts, starts, parts_sent, channel_ids, object_id, reason, created_at, trace
from started`;

interface StatusRow {
  id: null;
  integration_id: number;
  owned: boolean;
  open: boolean;
  found: number;
  next_due_at: number | null;
  paused_until: number | null;
  name: string | null;
  credentials: string | null;
  uncertain: IntegrationStatus['uncertain'];
  unhealthy: boolean;
}

interface ClaimedRow {
  id: number;
  integration_id: number;
  application_id: number;
  recipient: string;
  activity: string;
  attempts: number;
  starts: number;
  parts_sent: number;
  channel_ids: string | null;
  object_id: string | null;
  reason: string | null;
  created_at: number;
  trace: string | null;
}

/**
 * Runs a dispatch round in two commits, results first; see Turn. Both statements are sent at once (pipelined), which
 * saves a round trip. The second may therefore succeed although the first failed.
 */
export function runDispatchRound(
  connections: Connections,
  named: Named,
  { node, now, results, claims }: DispatchRound,
): Promise<DispatchResult> {
  return connections.prompt(async (client) => {
    const [recording, taking] = await Promise.allSettled([
      settle(client, named, node, now, results),
      take(client, named, node, now, claims),
    ]);
    if (taking.status === 'rejected') throw taking.reason;
    if (recording.status === 'fulfilled') return { ...recording.value, ...taking.value };
    if (claims.length === 0) throw recording.reason;
    const fault: unknown = recording.reason;
    return { refused: [], recovering: [], fault, ...taking.value };
  });
}

async function take(
  client: ClientBase,
  named: Named,
  node: string,
  now: number,
  claims: readonly ClaimRequest[],
): Promise<Pick<DispatchResult, 'claimed' | 'statuses'>> {
  if (claims.length === 0) return { claimed: [], statuses: [] };
  const query = promptly({
    ...named('take'),
    text: TAKE,
    values: [
      node,
      now,
      int8Array(claims.map((claim) => claim.integrationId)),
      int8Array(claims.map((claim) => claim.fence)),
      int4Array(claims.map((claim) => claim.count)),
      int8Array(claims.map((claim) => claim.applicationId)),
    ],
  });
  const { rows } = await client.query<StatusRow | ClaimedRow>(query);
  const claimed: ClaimedMessage[] = [];
  const statuses = new Map<Id, IntegrationStatus>();
  for (const row of rows) {
    if (row.id === null) statuses.set(row.integration_id, toStatus(row));
    else claimed.push(toClaimed(row));
  }
  return { claimed, statuses: claims.flatMap((claim) => statuses.get(claim.integrationId) ?? []) };
}

function toStatus(row: StatusRow): IntegrationStatus {
  return {
    integrationId: row.integration_id,
    owned: row.owned,
    open: row.open,
    found: row.found,
    nextDueAt: row.next_due_at,
    pausedUntil: row.paused_until,
    name: row.name,
    credentials: row.credentials,
    uncertain: row.uncertain,
    unhealthy: row.unhealthy,
  };
}

function toClaimed(row: ClaimedRow): ClaimedMessage {
  return {
    id: row.id,
    applicationId: row.application_id,
    integrationId: row.integration_id,
    recipient: row.recipient,
    activity: row.activity,
    attempts: row.attempts,
    starts: row.starts,
    partsSent: row.parts_sent,
    channelIds: row.channel_ids,
    objectId: row.object_id,
    reason: row.reason,
    createdAt: row.created_at,
    trace: row.trace,
  };
}
