import type { ClientBase } from 'pg';

import type { Id } from '../../model/id.ts';
import {
  KEPT_ATTEMPTS,
  type AttemptResult,
  type DispatchResult,
} from '../delivery/dispatch-round.ts';
import { withPromptTimeout } from './connections.ts';
import { type HealthPart, WITHOUT_HEALTH, WITH_HEALTH } from './settle-health.ts';
import { ATTEMPT, ATTEMPTS, HEALTHS, RESULT, RESULTS, RESULT_ROWS } from './settle-parameters.ts';
import type { StatementName } from './statement-name.ts';

interface SettledRow {
  id: Id;
  integration_id: Id;
  unhealthy: boolean;
}

/*
 * Settle: records the results of attempts. It updates or moves messages, frees their lanes, stores attempts, parts and
 * health, and appends events. It returns the messages whose result was accepted.
 *
 * Locks: ownerships, then lanes in key order, then messages, as in all statements. Feeds come last, because a
 * locked feed blocks everyone who has an event for the same application.
 *
 * Lanes: a lane is deleted only if it was empty when this statement began and no message has joined it since, which
 * `version` tells. test/store/dispatch.test.ts covers this race.
 *
 * Partitions: settled and deferred messages leave outbox_open; they are deleted there and inserted into the partition
 * of their time, or of scheduled messages (messages/transitions.ts explains why this is not an update). All lookups are
 * in outbox_open, so no other partition is touched.
 *
 * Indexes: outbox_open_pkey, lanes_key (application_id, integration_id, recipient) and outbox_by_lane.
 *
 * Planner mistakes: dispatch-round.ts explains the tricks such as `= any (array[…])` that keep the planner on index
 * lookups. In addition, PostgreSQL expects one row from each step and would join the steps with nested loops, so each
 * step passes on all columns that the next one needs. Long values stay in the parameters until they are stored.
 *
 * test/store/plans.test.ts checks the plans, test/store/dispatch.test.ts and test/store/health.test.ts the results.
 *
 * Delivery reports belong to the message that first had a channel id, not to a later edit of it, nor to another
 * message for which the vendor returned the same id.
 *
 * Health is counted by a second form of the statement (settle-health.ts). The common form locks ownerships for
 * reading only: rounds for the same integration run concurrently and would deadlock if both went on to write. It
 * returns which integrations are unhealthy, so that a success is noticed even if another node has just recorded a
 * failed check.
 */
const statement = (health: HealthPart) => `
with input as materialized (
  select * from ${RESULT_ROWS}
), owners as materialized (
  select o.application_id, o.integration_id, o.fence, coalesce(o.failures, 0) as failures, o.failed_at, o.failing_since
  from ownerships o
  where o.node || '' = $1 and (o.application_id, o.integration_id) in (select application_id, integration_id from input)
  order by o.integration_id for ${health.lock}
), owned as materialized (
  select s.* from input s join owners o using (application_id, integration_id, fence)
), seen as materialized (
  select o.*, l.version as seen_version, exists (select 1 from outbox_open m
    where coalesce(m.application_id, 0) = o.application_id and m.integration_id = o.integration_id
      and m.recipient = o.recipient and m.sequence > 0 and m.state = 'queued') as more
  from owned o left join lanes l on l.application_id = any (array[o.application_id])
    and l.integration_id = any (array[o.integration_id]) and l.recipient = any (array[o.recipient])
), locked as materialized (
  select s.*, l.version
  from seen s join lanes l on l.application_id = any (array[s.application_id])
    and l.integration_id = any (array[s.integration_id]) and l.recipient = any (array[s.recipient])
  order by s.application_id, s.integration_id, s.recipient collate "C" for update of l
), ready as materialized (
  select * from locked
  union all
  select *, null from seen where message_id not in (select message_id from locked)
), kept as (
  update outbox_open m set state = 'queued', attempts = m.attempts + (${RESULT.failed})[r.position],
    parts_sent = (${RESULT.partsSent})[r.position], channel_ids = (${RESULT.channelIds})[r.position],
    reason = (${RESULT.reason})[r.position], detail = (${RESULT.detail})[r.position], updated_at = $2
  from ready r where m.application_id = any (array[r.application_id]) and m.id = any (array[r.message_id])
    and m.starts = r.start and m.state = 'sending' and r.state = 'queued'
  returning r.*
), ended as (
  delete from outbox_open m
  using ready r where m.application_id = any (array[r.application_id]) and m.id = any (array[r.message_id])
    and m.starts = r.start and m.state = 'sending' and r.state <> 'queued'
  returning m.created_at, m.sequence, m.due_at as left_at, m.expires_at, m.attempts, m.type, m.object_id, m.activity,
    m.instructions, m.category, m.consent_key, m.route, m.trace, r.*
), stored as (
  insert into outbox (application_id, id, settled_at, created_at, updated_at, integration_id, sequence, due_at,
    expires_at, attempts, parts_sent, starts, type, state, recipient, object_id, channel_ids, reason, detail, activity,
    instructions, category, consent_key, route, trace)
  select application_id, message_id, case when state = 'scheduled' then -1 else greatest($2, 1) end, created_at, $2,
    integration_id, sequence, coalesce((${RESULT.releaseAt})[position], left_at), expires_at,
    attempts + (${RESULT.failed})[position], (${RESULT.partsSent})[position], start, type, state, recipient, object_id,
    (${RESULT.channelIds})[position], (${RESULT.reason})[position], (${RESULT.detail})[position], activity,
    instructions, category, consent_key, route, trace
  from ended
), settled as materialized (
  select application_id, integration_id, recipient, message_id, start, state, due_at, waits, seen_version, version,
    more, position
  from kept
  union all
  select application_id, integration_id, recipient, message_id, start, state, due_at, waits, seen_version, version,
    more, position
  from ended
), recorded as (
  insert into attempts (application_id, message_id, number, started_at, duration, outcome, part, status, code,
    detail, request, with_activity, answer)
  select application_id, message_id, start, (${ATTEMPT.startedAt})[position], (${ATTEMPT.duration})[position],
    (${ATTEMPT.outcome})[position], (${ATTEMPT.part})[position], (${ATTEMPT.status})[position],
    (${ATTEMPT.code})[position], (${ATTEMPT.detail})[position], (${ATTEMPT.request})[position],
    (${ATTEMPT.withActivity})[position], (${ATTEMPT.answer})[position]
  from settled where (${ATTEMPT.outcome})[position] is not null
), freed as materialized (
  select application_id, integration_id, recipient, due_at, waits,
    state = 'queued' or due_at > $2 or more or seen_version <> version as stays,
    case when waits = 'retry' then message_id end as message_id
  from settled where version is not null
), moved as (
  update lanes l set due_at = f.due_at, message_id = f.message_id, reason = f.waits
  from freed f where f.stays and l.application_id = any (array[f.application_id])
    and l.integration_id = any (array[f.integration_id]) and l.recipient = any (array[f.recipient])
), closed as (
  delete from lanes l using freed f
  where not f.stays and l.application_id = any (array[f.application_id])
    and l.integration_id = any (array[f.integration_id]) and l.recipient = any (array[f.recipient])
), remembered as (
  insert into parts (application_id, integration_id, channel_id, message_id, recipient, sent_at, pending, created_at)
  select distinct on (application_id, integration_id, (${RESULT.reportedAs})[position] collate "C")
    application_id, integration_id, (${RESULT.reportedAs})[position], message_id, recipient,
    coalesce((${ATTEMPT.startedAt})[position], $2), 1, $2
  from settled where (${RESULT.reportedAs})[position] is not null
  order by application_id, integration_id, (${RESULT.reportedAs})[position] collate "C", message_id
  on conflict (application_id, integration_id, channel_id) do update
    set message_id = coalesce(parts.message_id, excluded.message_id),
      recipient = coalesce(parts.recipient, excluded.recipient), sent_at = coalesce(parts.sent_at, excluded.sent_at),
      pending = 1
  returning 1
${health.count}), emitted as materialized (
${health.events}
), held as materialized (
  select f.application_id from feeds f
  where f.application_id in (select application_id from emitted)
  order by f.application_id for update
), numbered as (
  update feeds f set last = f.last + t.count, last_at = greatest(f.last_at, $2)
  from (select application_id, count(*) as count from emitted where application_id in
    (select application_id from held) group by application_id) t
  where f.application_id = t.application_id
  returning f.application_id, f.last - t.count as before, f.last_at as at
), appended as (
  insert into events (application_id, id, type, data, created_at, trace)
  select t.application_id, n.before + t.place, ${health.type}, ${health.data}, n.at, (${RESULT.trace})[t.position]
  from emitted t join numbered n using (application_id)
)
select s.message_id as id, s.integration_id, o.failures > 0 or o.failing_since is not null as unhealthy
from settled s join owners o using (application_id, integration_id)`;

export const SETTLE = statement(WITHOUT_HEALTH);
export const SETTLE_HEALTH = statement(WITH_HEALTH);

type SettleResult = Pick<DispatchResult, 'refused' | 'recovering'>;

/** Records results; returns those that were refused. */
export async function settle(
  client: ClientBase,
  named: StatementName,
  node: string,
  now: number,
  results: readonly AttemptResult[],
): Promise<SettleResult> {
  if (results.length === 0) return { refused: [], recovering: [] };
  const withHealth = results.some(isAboutHealth);
  const query = withPromptTimeout({
    ...(withHealth ? named('settle-health') : named('settle')),
    text: withHealth ? SETTLE_HEALTH : SETTLE,
    values: [
      node,
      now,
      ...RESULTS.encode(results),
      ...ATTEMPTS.encode(results.map(({ attempt }) => attempt)),
      ...(withHealth ? HEALTHS.encode(results) : []),
    ],
  });
  const { rows } = await client.query<SettledRow>(query);
  const settled = new Map(rows.map((row) => [row.id, row]));
  for (const result of results) {
    if (result.start > KEPT_ATTEMPTS) await trim(client, result);
  }
  const refused = results.map(({ messageId }) => messageId).filter((id) => !settled.has(id));
  if (withHealth) return { refused, recovering: [] };
  const recovering = results.flatMap(({ messageId, health }) => {
    const row = health === 'ok' ? settled.get(messageId) : undefined;
    return row?.unhealthy ? [row.integration_id] : [];
  });
  return { refused, recovering: [...new Set(recovering)] };
}

/** Whether the result changes the integration's health, as far as the node knows. */
const isAboutHealth = ({ health, wasUnhealthy }: AttemptResult) =>
  health === 'ok' ? wasUnhealthy : health !== null;

const TRIM = `delete from attempts where application_id = $1 and message_id = $2 and number <= $3`;

/** A separate statement, because old attempts may be in any partition. If it fails, the next result trims them. */
async function trim(
  client: ClientBase,
  { applicationId, messageId, start }: AttemptResult,
): Promise<void> {
  await client.query(TRIM, [applicationId, messageId, start - KEPT_ATTEMPTS]);
}
