import type { ClientBase } from 'pg';

import type { Id } from '../../model/id.ts';
import {
  CLAIMED_FIELDS,
  CLAIM_FIELDS,
  STATUS_FIELDS,
  type ClaimRequest,
  type ClaimedMessage,
  type DispatchResult,
  type DispatchRound,
  type IntegrationStatus,
} from '../delivery/dispatch-round.ts';
import { columnsOf, rowReader } from '../fields.ts';
import { equalsAny, isSuppressed } from '../messages/suppression.ts';
import { inDatabase } from '../tables.ts';
import { type Connections, withPromptTimeout } from './connections.ts';
import { recordParameters } from './parameters.ts';
import { settle } from './settle.ts';
import type { StatementName } from './statement-name.ts';

const CLAIMS = recordParameters(CLAIM_FIELDS, 3);
const CLAIM_COLUMNS = columnsOf(CLAIM_FIELDS);
/** Each array is hidden in a subquery; the comment below says why. */
const CLAIM_ARRAYS = Object.values<string>(CLAIMS.in)
  .map((array) => `(select ${array})`)
  .join(', ');

/* The result has rows for integrations and rows for messages. The fields of one are null in the other. */
const { integrationId: _ofMessages, ...MESSAGE_FIELDS } = CLAIMED_FIELDS;
const { integrationId: _ofStatuses, ...INTEGRATION_FIELDS } = STATUS_FIELDS;
const ofApplication = (column: string) =>
  `(select a.${column} from applications_open a where a.id = m.application_id)`;
const SUPPRESSED = isSuppressed(
  {
    key: 'm.consent_key',
    applicationId: 'm.application_id',
    category: 'm.category',
    allowTransactional: ofApplication('allow_transactional'),
    doubleOptIn: ofApplication('double_opt_in'),
  },
  equalsAny,
);
const CLAIMED_COLUMNS = columnsOf(CLAIMED_FIELDS, 'm').replace(
  'm.suppressed',
  `${SUPPRESSED} as suppressed`,
);
const MESSAGE_COLUMNS = columnsOf(MESSAGE_FIELDS);
const NO_MESSAGE = Object.entries(MESSAGE_FIELDS)
  .map(([name, type]) => `null::${type === 'flag' ? 'boolean' : type} as ${inDatabase(name)}`)
  .join(', ');
const NO_STATUS = Object.keys(INTEGRATION_FIELDS)
  .map(() => 'null')
  .join(', ');

/*
 * Claim: starts messages. For each requested integration, it finds up to `count` due lanes, sets the first queued message of
 * each to `sending`, and returns these messages together with the status of every integration.
 *
 * Locks: application, integration and ownership first, so that disabling or taking over an integration and this
 * statement wait for each other; then lanes in key order, then messages. All statements use this order, so they
 * cannot deadlock.
 *
 * Indexes: lanes_due (application_id, integration_id, due_at) finds the due lanes, outbox_by_lane
 * (integration_id, recipient, sequence) on outbox_open finds the first message of each, and the rest is looked up
 * by primary keys.
 *
 * Planner mistakes. Statistics of these tables are often missing or were collected while a table was empty. The
 * planner then believes that reading a whole index is as cheap as a lookup, keeps that plan, and the statement
 * becomes slow once the table grows. These tricks leave it no such choice:
 * - `= any (array[…])` joins by index lookup only. With `=`, the planner may merge-join by reading an index from end
 *   to end.
 * - `node || ''`, `coalesce(application_id, 0)` and `coalesce(due_at, …)` hide a column, so that an index that starts
 *   with it is not considered; `sequence > 0` selects the partial index outbox_by_lane.
 * - outbox_open is named directly instead of by `settled_at = 0`, for which an index could be scanned.
 * - The parameters are wrapped in `(select $3)`, which hides the array lengths. Otherwise a plan for one integration
 *   looks cheaper than the generic plan, and PostgreSQL plans the statement anew each time, which takes twice as
 *   long as running it.
 *
 * test/store/plans.test.ts checks the plans with empty, missing, fresh and outdated statistics, and that they are
 * made once; test/store/dispatch.test.ts checks the results.
 */
export const CLAIM = `
with wanted as materialized (
  select * from unnest(${CLAIM_ARRAYS}) as w (${CLAIM_COLUMNS})
), applications_open as materialized (
  select a.id, a.allow_transactional, a.double_opt_in from applications a
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
  left join lateral (select m.id, m.sequence from outbox_open m
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
  update outbox_open m set state = 'sending', starts = m.starts + 1, updated_at = $2
  from locked k where m.application_id = any (array[k.application_id]) and m.id = any (array[k.id])
    and m.sequence = k.sequence and m.state = 'queued'
  returning ${CLAIMED_COLUMNS}
), held as (
  update lanes l set due_at = null, message_id = s.id, reason = null
  from started s where l.application_id = any (array[s.application_id])
    and l.integration_id = any (array[s.integration_id]) and l.recipient = any (array[s.recipient])
), closed as (
  delete from lanes l using locked k
  where k.id is null and k.unchanged and l.application_id = any (array[k.application_id])
    and l.integration_id = any (array[k.integration_id]) and l.recipient = any (array[k.recipient])
)
select coalesce(o.node = $1 and o.fence = w.fence, false) as owned,
  exists (select 1 from granted g where g.integration_id = w.integration_id) as open,
  (select count(*) from (select 1 from lanes l where l.application_id = w.application_id
    and l.integration_id = w.integration_id and l.due_at <= (select $2::bigint) limit w.count + 1) l) as found,
  (select min(l.due_at) from lanes l where l.application_id = w.application_id
    and l.integration_id = w.integration_id and l.due_at > $2) as next_due_at,
  o.paused_until, i.name, i.credentials, i.mode, a.uncertain, a.quiet_hours,
  coalesce(o.failures > 0, false) or o.failing_since is not null as unhealthy,
  w.integration_id, ${NO_MESSAGE}
from wanted w
left join ownerships o on o.application_id = w.application_id and o.integration_id = w.integration_id
left join integrations i on i.application_id = w.application_id and i.id = w.integration_id
left join applications a on a.id = w.application_id
union all
select ${NO_STATUS}, integration_id, ${MESSAGE_COLUMNS}
from started`;

const readStatus = rowReader(STATUS_FIELDS);
const readClaimed = rowReader(CLAIMED_FIELDS);

/**
 * Runs a dispatch round in two commits, results first; see DispatchRound. Both statements are sent at once (pipelined), which
 * saves a round trip. The second may therefore succeed although the first failed.
 */
export function runDispatchRound(
  connections: Connections,
  named: StatementName,
  { node, now, results, claims }: DispatchRound,
): Promise<DispatchResult> {
  return connections.runPrompt(async (client) => {
    const [recording, claiming] = await Promise.allSettled([
      settle(client, named, node, now, results),
      claim(client, named, node, now, claims),
    ]);
    if (claiming.status === 'rejected') throw claiming.reason;
    if (recording.status === 'fulfilled') return { ...recording.value, ...claiming.value };
    if (claims.length === 0) throw recording.reason;
    const fault: unknown = recording.reason;
    return { refused: [], recovering: [], fault, ...claiming.value };
  });
}

async function claim(
  client: ClientBase,
  named: StatementName,
  node: string,
  now: number,
  claims: readonly ClaimRequest[],
): Promise<Pick<DispatchResult, 'claimed' | 'statuses'>> {
  if (claims.length === 0) return { claimed: [], statuses: [] };
  const query = withPromptTimeout({
    ...named('claim'),
    text: CLAIM,
    values: [node, now, ...CLAIMS.encode(claims)],
  });
  const { rows } = await client.query<{ id: Id | null }>(query);
  const claimed: ClaimedMessage[] = [];
  const statuses = new Map<Id, IntegrationStatus>();
  for (const row of rows) {
    if (row.id !== null) {
      claimed.push(readClaimed(row));
      continue;
    }
    const status = readStatus(row);
    statuses.set(status.integrationId, status);
  }
  return {
    claimed,
    statuses: claims.flatMap(({ integrationId }) => statuses.get(integrationId) ?? []),
  };
}
