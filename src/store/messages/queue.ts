import { type RawBuilder, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Message } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { IN_LANE } from './transitions.ts';

/*
 * Queries over the whole queue. They must not scan all of it. On PostgreSQL they name the partition of open messages
 * directly: with `settled_at = 0`, the planner would read an index from end to end as long as it has no statistics.
 * test/store/plans.test.ts and test/store/sqlite-plans.test.ts check that expiredMessages uses outbox_by_expiry and
 * endOfBatch uses outbox_by_lane.
 */
type EngineKind = Pick<Engine, 'name'>;

const openTable = ({ name }: EngineKind) => (name === 'postgres' ? sql`outbox_open` : sql`outbox`);

export type ExpiredMessage = Pick<
  Message,
  'id' | 'applicationId' | 'integrationId' | 'recipient' | 'route' | 'dueAt' | 'createdAt'
>;

/**
 * Sweep: queued messages past their end time, earliest first. Index outbox_by_expiry contains only messages that have
 * an end time and serves filter and order, so the cost depends on `limit`. `expires_at is not null` follows from the
 * comparison, but without it the planners do not consider the partial index.
 */
export function expiredMessages(
  engine: EngineKind,
  now: Millis,
  limit: number,
): RawBuilder<ExpiredMessage> {
  return sql`select id, application_id, integration_id, recipient, route, due_at, created_at
    from ${openTable(engine)}
    where state = 'queued' and expires_at is not null and expires_at <= ${now}
    order by expires_at limit ${limit}`;
}

/** Scheduled messages, which have their own partition on PostgreSQL. */
const scheduledTable = ({ name }: EngineKind) =>
  name === 'postgres' ? sql`outbox_scheduled` : sql`outbox`;

export type DueMessage = Pick<
  Message,
  | 'id'
  | 'applicationId'
  | 'integrationId'
  | 'recipient'
  | 'category'
  | 'consentKey'
  | 'instructions'
  | 'route'
> & {
  /** Whether it is a message to a contact whose address must be chosen again. */
  hasOutdatedAddress: 0 | 1;
};

/**
 * Release: scheduled messages whose time has come, in the order in which they leave, locked. Index outbox_by_due serves
 * filter and order, so the cost depends on `limit`, not on the number of scheduled messages. `due_at > 0` always holds;
 * PostgreSQL considers the partial index only because of it, and then considers no other. `skip locked`: several nodes
 * release different messages, and none waits for a request that changes one.
 */
export function dueMessages(
  engine: EngineKind,
  now: Millis,
  limit: number,
): RawBuilder<DueMessage> {
  const lock = engine.name === 'postgres' ? sql`for update skip locked` : sql``;
  return sql`select id, application_id, integration_id, recipient, category, consent_key, instructions, route,
      ${hasOutdatedAddress(engine)} as has_outdated_address from ${scheduledTable(engine)}
    where state = 'scheduled' and due_at > 0 and due_at <= ${now} order by due_at, id limit ${limit} ${lock}`;
}

/** Those of the due messages whose address must be chosen again; not locked. */
export function outdatedAddressMessages(
  engine: EngineKind,
  now: Millis,
  limit: number,
): RawBuilder<Pick<Message, 'id' | 'applicationId'>> {
  return sql`select id, application_id from (
      select id, application_id, ${hasOutdatedAddress(engine)} as has_outdated_address from ${scheduledTable(engine)}
      where state = 'scheduled' and due_at > 0 and due_at <= ${now} order by due_at, id limit ${limit}) due
    where has_outdated_address = 1`;
}

/**
 * Whether the address of a message to a contact must be chosen again, because it was chosen for an earlier due time; 0
 * or 1. Messages of which some parts were sent keep their address.
 */
const hasOutdatedAddress = ({ name }: EngineKind) =>
  name === 'postgres' ? OUTDATED_ADDRESS_ON_POSTGRES : OUTDATED_ADDRESS;

const OUTDATED_ADDRESS = sql`case when route is null and parts_sent = 0 and instructions like '%"contact":%'
  then json_extract(instructions, '$.contact') is not null
    and coalesce(json_extract(instructions, '$.contact.dueAt'), 0) <> due_at else 0 end`;
const OUTDATED_ADDRESS_ON_POSTGRES = sql`case when route is null and parts_sent = 0 and instructions like '%"contact":%'
  then cast((instructions::json -> 'contact') is not null
    and coalesce((instructions::json -> 'contact' ->> 'dueAt')::bigint, 0) <> due_at as integer) else 0 end`;

/** The first scheduled messages of an integration, by outbox_by_integration; those with routes only on request. */
export function scheduledMessages(
  engine: EngineKind,
  { applicationId, integrationId }: Pick<Message, 'applicationId' | 'integrationId'>,
  limit: number,
  includesRouted = false,
): RawBuilder<{ id: Id }> {
  const kind = includesRouted ? sql`` : sql`and route is null`;
  return sql`select id from ${scheduledTable(engine)} where state = 'scheduled' and ${IN_LANE}
    and application_id = ${applicationId} and integration_id = ${integrationId} ${kind} order by id limit ${limit}`;
}

/** A position in the queue, which is sorted by lane. */
export type QueuePosition = Pick<
  Message,
  'applicationId' | 'integrationId' | 'recipient' | 'sequence'
>;

/** Queued live messages of one channel; `channel` is null if the integration was deleted. */
export interface ChannelDepth {
  channel: string | null;
  count: number;
}

/** The position `size` messages after this one; no row if fewer are left. */
export function endOfBatch(
  engine: EngineKind,
  after: QueuePosition,
  size: number,
): RawBuilder<QueuePosition> {
  return sql`select application_id, integration_id, recipient, sequence from ${openTable(engine)}
    where ${queued(engine, after)} order by ${order(engine)} limit 1 offset ${size - 1}`;
}

/** The number of queued live messages per channel, after one position and up to another. */
export function countBatch(
  engine: EngineKind,
  after: QueuePosition,
  end: QueuePosition | undefined,
): RawBuilder<ChannelDepth> {
  const upTo = end ? sql`and (${order(engine)}) <= ${tuple(engine, end)}` : sql``;
  return sql`select i.name as channel, cast(sum(waiting.count) as bigint) as count
    from (select application_id, integration_id, count(*) as count from ${openTable(engine)}
      where ${queued(engine, after)} ${upTo}
      group by application_id, integration_id) waiting
    left join integrations i on i.application_id = waiting.application_id and i.id = waiting.integration_id
    where i.mode is null or i.mode = 'live'
    group by i.name`;
}

function queued(engine: EngineKind, after: QueuePosition): RawBuilder<boolean> {
  return sql`state = 'queued' and ${IN_LANE} and (${order(engine)}) > ${tuple(engine, after)}`;
}

/** The order of the index that serves the query. */
function order({ name }: EngineKind): RawBuilder<unknown> {
  const lane = sql`integration_id, recipient, sequence`;
  return name === 'postgres' ? lane : sql`application_id, ${lane}`;
}

function tuple(
  { name }: EngineKind,
  { applicationId, integrationId, recipient, sequence }: QueuePosition,
): RawBuilder<unknown> {
  const lane = sql`${integrationId}, ${recipient}, ${sequence}`;
  return name === 'postgres' ? sql`(${lane})` : sql`(${applicationId}, ${lane})`;
}
