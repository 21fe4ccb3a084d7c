import { messageEventType } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import { SCHEDULED, isSettled } from '../../model/message.ts';
import {
  CLAIMED_FIELDS,
  KEPT_ATTEMPTS,
  type ClaimRequest,
  type IntegrationStatus,
} from '../delivery/dispatch-round.ts';
import { type FlatValue, columnsOf } from '../fields.ts';
import { equals, isSuppressed } from '../messages/suppression.ts';
import type { Database } from './database.ts';
import {
  CLAIMED,
  type FlatResult,
  type FlatRound,
  type ThreadResult,
  resultsIn,
} from './dispatch-protocol.ts';
import { type HealthEvent, recordHealth } from './health.ts';

/*
 * Claim and settle. They run in the thread that owns the database, all of a round in one transaction.
 *
 * Settle records the result of an attempt: it checks the fencing number (OWNS), changes the message (SETTLE), stores
 * the attempt and the channel's id, and frees the lane or deletes it if nothing waits in it (WAITING). Every row is
 * found by a primary key, and WAITING by outbox_by_lane.
 *
 * Claim starts messages: STATUS reads the integration by primary keys, DUE finds due lanes by lanes_due, and FIRST
 * the first message of each by outbox_by_lane. The cost depends on the number of started messages, not on the queue.
 *
 * SQLite plans without statistics, so it gets one usable index per statement. Conditions repeat those of the partial
 * indexes as literals: with a parameter in place of 'queued', SQLite cannot use the index.
 * test/store/statements.test.ts checks that each statement finds its rows by an index, with and without statistics,
 * test/store/sqlite-plans.test.ts that SETTLE and START create no temporary table, and test/store/dispatch.test.ts the
 * results.
 */

/** Checks the fencing number, by the primary key of ownerships. */
const OWNS = `select failures is not null or failing_since is not null as unhealthy
  from ownerships where integration_id = ? and node = ? and fence = ?`;

/**
 * Records the result of an attempt, by the primary key. `starts` and `state` reject results of an earlier start. It must
 * not set `due_at`: the indexes by recipient depend on it, and SQLite would rewrite their entries each time.
 */
export const SETTLE = `update outbox set state = ?, attempts = attempts + ?, parts_sent = ?, channel_ids = ?,
  reason = ?, detail = ?, updated_at = ?, settled_at = ? where id = ? and starts = ? and state = 'sending'`;
/** Sets the due time of a message that goes back to the schedule. */
const PARK = `update outbox set due_at = ? where id = ?`;
const INSERT_ATTEMPT = `insert into attempts (application_id, message_id, number, started_at, duration, outcome, part,
    status, code, detail, request, with_activity, answer)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
/**
 * Reserves event numbers. `last_at` never goes back, so event times grow with the numbers even if the clock moves
 * backwards.
 */
const NUMBER_EVENTS = `update feeds set last = last + ?, last_at = max(last_at, ?) where application_id = ?
  returning last, last_at`;
const APPEND_EVENT = `insert into events (application_id, id, type, data, created_at, trace)
  values (?, ?, ?, ?, ?, ?)`;
// Delivery reports belong to the message that first had this channel id, not to a later edit of it.
const REMEMBER_PART = `insert into parts
  (application_id, integration_id, channel_id, message_id, recipient, sent_at, pending, created_at)
  values (?, ?, ?, ?, ?, ?, 1, ?)
  on conflict do update set message_id = coalesce(message_id, excluded.message_id),
    recipient = coalesce(recipient, excluded.recipient), sent_at = coalesce(sent_at, excluded.sent_at), pending = 1`;
const TRIM = `delete from attempts where message_id = ? and number <= ?`;

/**
 * The status of an integration, found by primary keys; `left join` so that a deleted integration still yields a row.
 */
const STATUS = `select o.node = ? and o.fence = ? as owned,
    coalesce(i.state = 'enable' and a.state = 'enable', 0)
      and (o.paused_reason is null or coalesce(o.paused_until <= ?, 0)) as open,
    o.paused_until, o.failures is not null or o.failing_since is not null as unhealthy, i.name, i.credentials,
    i.mode, a.uncertain, a.quiet_hours
  from ownerships o left join integrations i on i.id = o.integration_id
    left join applications a on a.id = o.application_id
  where o.integration_id = ?`;
/**
 * The lanes that are due, oldest first. Index lanes_due (integration_id, due_at) serves filter and order, so the cost
 * depends on `limit`, not on the number of waiting lanes.
 */
const DUE = `select recipient from lanes where integration_id = ? and due_at <= ? order by due_at limit ?`;
/** When the next lane is due: the first entry of lanes_due beyond now. */
const NEXT_DUE = `select min(due_at) as at from lanes where integration_id = ? and due_at > ?`;
/** A setting of the message's application. Read only for addresses that have consents. */
const settingOf = (column: string) =>
  `(select a.${column} from applications a where a.id = m.application_id)`;
const SUPPRESSED = isSuppressed(
  {
    key: 'm.consent_key',
    applicationId: 'm.application_id',
    category: 'm.category',
    allowTransactional: settingOf('allow_transactional'),
    doubleOptIn: settingOf('double_opt_in'),
  },
  equals,
);
/** The message as it is after its start, in the order of CLAIMED. */
const CLAIMED_COLUMNS = columnsOf(CLAIMED_FIELDS, 'm')
  .replace('m.starts', 'm.starts + 1')
  .replace('m.suppressed', SUPPRESSED);
/**
 * The first queued message of a lane, from the partial index outbox_by_lane (application_id, integration_id,
 * recipient, sequence) where state = 'queued': one lookup, however many messages wait.
 */
const FIRST = `select ${CLAIMED_COLUMNS} from outbox m
  where m.application_id = ? and m.integration_id = ? and m.recipient = ? and m.state = 'queued'
    and (m.expires_at is null or m.expires_at > ?)
  order by m.sequence limit 1`;
// A separate update, because `update … returning` creates a temporary table on each run.
// test/store/sqlite-plans.test.ts checks that START and SETTLE create none.
export const START = `update outbox set state = 'sending', starts = starts + 1, updated_at = ? where id = ?`;
/** Whether the lane has more queued messages, by outbox_by_lane. */
const WAITING = `select 1 from outbox
  where application_id = ? and integration_id = ? and recipient = ? and state = 'queued' limit 1`;
const MOVE_LANE = `update lanes set due_at = ?, message_id = ?, reason = ?
  where integration_id = ? and recipient = ?`;
const CLOSE_LANE = `delete from lanes where integration_id = ? and recipient = ?`;

/** Runs a dispatch round in one commit; see DispatchRound. */
export function round(db: Database, { node, now, results, claims }: FlatRound): FlatResult {
  return db.commit(() => {
    const refused: Id[] = [];
    const ownershipOf = ownedBy(db, node);
    const events: EmittedEvent[] = [];
    const unhealthy: ThreadResult[] = [];
    for (const result of resultsIn(results)) {
      const owned = ownershipOf(result);
      if (!owned || !settle(db, now, result)) {
        refused.push(result.messageId);
        continue;
      }
      if (result.event !== null) events.push(eventOf(result, result.event));
      if (result.health !== null && result.health !== 'ok') owned.isUnhealthy = true;
      if (owned.isUnhealthy) unhealthy.push(result);
    }
    for (const group of Map.groupBy(unhealthy, (one) => one.integrationId).values()) {
      const { before, after } = recordHealth(db, now, group);
      events.unshift(...before);
      events.push(...after);
    }
    appendEvents(db, now, events);
    const claimed: FlatValue[] = [];
    const statuses = claims.map((one) => claim(db, node, now, one, claimed));
    return { refused, recovering: [], claimed, statuses };
  });
}

type EmittedEvent = HealthEvent & { trace?: string | null };

const eventOf = ({ applicationId, state, trace }: ThreadResult, data: string): EmittedEvent => ({
  applicationId,
  type: messageEventType(state),
  data,
  trace,
});

/** Returns a function that checks whether the node owns the integration of a result. Caches per integration. */
function ownedBy(
  db: Database,
  node: string,
): (result: ThreadResult) => { isUnhealthy: boolean } | undefined {
  const cache = new Map<string, { isUnhealthy: boolean } | undefined>();
  return ({ integrationId, fence }) => {
    const key = `${integrationId} ${fence}`;
    if (cache.has(key)) return cache.get(key);
    const row = db.prepare(OWNS).get(integrationId, node, fence);
    const owned = row && { isUnhealthy: row['unhealthy'] === 1 };
    cache.set(key, owned);
    return owned;
  };
}

/** Records a result; returns whether the message was still being sent. */
function settle(db: Database, now: number, result: ThreadResult): boolean {
  const { applicationId, integrationId, messageId, start, recipient, state, attempt } = result;
  const { failed, partsSent, channelIds, reason, detail, releaseAt = null } = result;
  const settledAt = isSettled(state) ? Math.max(now, 1) : state === 'scheduled' ? SCHEDULED : 0;
  const columns = [channelIds, reason, detail, now, settledAt];
  const { changes } = db
    .prepare(SETTLE)
    .run(state, failed ? 1 : 0, partsSent, ...columns, messageId, start);
  if (changes === 0) return false;
  if (releaseAt !== null) db.prepare(PARK).run(releaseAt, messageId);
  if (attempt) {
    const { startedAt, duration, outcome, part, status, code, request, withActivity } = attempt;
    const response = [status, code, attempt.detail, request, withActivity, attempt.answer];
    const place = [applicationId, messageId, start];
    db.prepare(INSERT_ATTEMPT).run(...place, startedAt, duration, outcome, part, ...response);
    if (start > KEPT_ATTEMPTS) db.prepare(TRIM).run(messageId, start - KEPT_ATTEMPTS);
  }
  if (result.reportedAs !== null) {
    const part = [applicationId, integrationId, result.reportedAs, messageId, recipient];
    db.prepare(REMEMBER_PART).run(...part, attempt?.startedAt ?? now, now);
  }
  const { dueAt, waits } = result;
  if (dueAt > now || db.prepare(WAITING).get(applicationId, integrationId, recipient)) {
    const retried = waits === 'retry' ? messageId : null;
    db.prepare(MOVE_LANE).run(dueAt, retried, waits, integrationId, recipient);
  } else {
    db.prepare(CLOSE_LANE).run(integrationId, recipient);
  }
  return true;
}

function appendEvents(db: Database, now: number, events: readonly EmittedEvent[]): void {
  for (const [applicationId, group] of Map.groupBy(events, (one) => one.applicationId)) {
    const feed = db.prepare(NUMBER_EVENTS).get(group.length, now, applicationId);
    // The application was deleted.
    if (!feed) continue;
    const first = Number(feed['last']) - group.length + 1;
    const at = Number(feed['last_at']);
    const insert = db.prepare(APPEND_EVENT);
    for (const [i, { type, data, trace = null }] of group.entries()) {
      insert.run(applicationId, first + i, type, data, at, trace);
    }
  }
}

/** Starts the first message of each due lane and returns the status of the integration. */
function claim(
  db: Database,
  node: string,
  now: number,
  request: ClaimRequest,
  claimed: FlatValue[],
): IntegrationStatus {
  const { applicationId, integrationId, fence, count } = request;
  const row = db.prepare(STATUS).get(node, fence, now, integrationId);
  const status: IntegrationStatus = {
    integrationId,
    owned: row?.['owned'] === 1,
    open: row?.['open'] === 1,
    found: 0,
    nextDueAt: null,
    pausedUntil: (row?.['paused_until'] ?? null) as IntegrationStatus['pausedUntil'],
    name: (row?.['name'] ?? null) as IntegrationStatus['name'],
    credentials: (row?.['credentials'] ?? null) as IntegrationStatus['credentials'],
    mode: (row?.['mode'] ?? null) as IntegrationStatus['mode'],
    uncertain: (row?.['uncertain'] ?? null) as IntegrationStatus['uncertain'],
    quietHours: (row?.['quiet_hours'] ?? null) as IntegrationStatus['quietHours'],
    unhealthy: row?.['unhealthy'] === 1,
  };
  if (!status.owned || !status.open) return status;
  const due = db.prepareLists(DUE).all(integrationId, now, count + 1);
  const find = db.prepareLists(FIRST);
  for (const { 0: recipient = null } of due.slice(0, count)) {
    const first = find.get(applicationId, integrationId, recipient, now) as FlatValue[] | undefined;
    if (!first) {
      db.prepare(CLOSE_LANE).run(integrationId, recipient);
      continue;
    }
    const id = first[CLAIMED.at.id] as Id;
    db.prepare(START).run(now, id);
    db.prepare(MOVE_LANE).run(null, id, null, integrationId, recipient);
    claimed.push(...first);
  }
  status.found = due.length;
  // A caller that leaves due lanes behind comes back anyway, so it needs no next due time.
  if (due.length > count) return status;
  const next = db.prepare(NEXT_DUE).get(integrationId, now);
  status.nextDueAt = (next?.['at'] ?? null) as IntegrationStatus['nextDueAt'];
  return status;
}
