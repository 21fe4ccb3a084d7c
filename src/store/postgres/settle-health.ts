import { FAILING_AFTER } from '../../model/health.ts';
import { ATTEMPT, REPORT, RESULT } from './settle-parameters.ts';

/** The differences between the two forms of the statement in settle.ts. */
export interface HealthPart {
  /** The row lock on ownerships. */
  lock: string;
  /** Counts failures, between settling messages and appending events. */
  count: string;
  /** The events to append, numbered per application. */
  events: string;
  type: string;
  data: string;
}

/** The type of the event for a state; see messageEventType. */
const messageType = (state: string) =>
  `case ${state} when 'scheduled' then 'message.deferred' else 'message.' || ${state} end`;
const TYPE_OF_STATE = messageType('state');

export const WITHOUT_HEALTH: HealthPart = {
  lock: 'share',
  count: '',
  events: `  select application_id, state, position,
    row_number() over (partition by application_id order by position) as place
  from settled where (${RESULT.event})[position] is not null and (select count(*) from remembered) >= 0`,
  type: messageType('t.state'),
  data: `(${RESULT.event})[t.position]`,
};

const TIMESTAMP = `to_char(to_timestamp(floor(c.failing_since / 1000.0)) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')`;

/*
 * The rule of `healthAfter` in model/health.ts, for all integrations of the batch at once; test/store/health.test.ts
 * holds both to the same results. REPORT.health contains per result 'ok', the failure reason, or null.
 *
 * The feed shows a recovery before the messages that prove it, and a failing period after the messages that started
 * it.
 */
export const WITH_HEALTH: HealthPart = {
  lock: 'no key update',
  count: `), reports as materialized (
  select application_id, integration_id, position, (${REPORT.health})[position] as health,
    coalesce((${ATTEMPT.startedAt})[position], $2) as at
  from settled where (${REPORT.health})[position] is not null
), reported as materialized (
  select application_id, integration_id, coalesce(max(position) filter (where health = 'ok'), 0) as success,
    max(position) filter (where health <> 'ok') as failure
  from reports group by application_id, integration_id
), streaks as materialized (
  select r.application_id, r.integration_id, r.success, r.failure, o.failing_since as failing_before,
    case when r.success > 0 then 0 else o.failures end
      + (select count(*) from reports s where s.application_id = r.application_id
        and s.integration_id = r.integration_id and s.position > r.success) as failures,
    coalesce(case when r.success > 0 then null else o.failed_at end,
      (select s.at from reports s where s.application_id = r.application_id
        and s.integration_id = r.integration_id and s.position > r.success order by s.position limit 1)) as failed_at
  from reported r join owners o using (application_id, integration_id)
), changes as materialized (
  select *, success > 0 and failing_before is not null as recovered,
    case when success = 0 and failing_before is not null then failing_before
      when failures >= ${FAILING_AFTER} then failed_at end as failing_since
  from streaks
), counted as (
  update ownerships o set failures = nullif(c.failures, 0), failed_at = c.failed_at, failing_since = c.failing_since,
    last_error = case when c.failure is null then o.last_error else (${ATTEMPT.detail})[c.failure] end,
    last_error_reason = case when c.failure is null then o.last_error_reason else (${REPORT.health})[c.failure] end,
    last_error_at = case when c.failure is null then o.last_error_at
      else coalesce((${ATTEMPT.startedAt})[c.failure], $2) end,
    verified_at = case when c.success > 0 then $2 else o.verified_at end
  from changes c where o.application_id = any (array[c.application_id])
    and o.integration_id = any (array[c.integration_id])
), health_events as materialized (
  select c.application_id, c.integration_id, 0 as rank, 'integration.recovered' as type, null as reason, null as detail,
    null as since
  from changes c where c.recovered
  union all
  select c.application_id, c.integration_id, 2, 'integration.failing', (${REPORT.health})[c.failure],
    (${ATTEMPT.detail})[c.failure], ${TIMESTAMP}
  from changes c where c.failing_since is not null and (c.failing_before is null or c.recovered)
`,
  events: `  select application_id, type, data, position,
    row_number() over (partition by application_id order by rank, position, integration_id) as place
  from (
    select application_id, integration_id, ${TYPE_OF_STATE} as type, null as data, 1 as rank, position
    from settled where (${RESULT.event})[position] is not null and (select count(*) from remembered) >= 0
    union all
    select h.application_id, h.integration_id, h.type,
      (case when h.rank = 0
        then json_build_object('application_id', h.application_id, 'integration_id', h.integration_id, 'channel', i.name,
          'scope', 'sending')
        else json_build_object('application_id', h.application_id, 'integration_id', h.integration_id,
          'channel', i.name, 'scope', 'sending', 'reason', h.reason, 'detail', h.detail, 'since', h.since) end)::text,
      h.rank, null
    from health_events h join integrations i on i.application_id = any (array[h.application_id])
      and i.id = any (array[h.integration_id])
    where i.name <> 'events'
  ) e`,
  type: 't.type',
  data: `coalesce(t.data, (${RESULT.event})[t.position])`,
};
