import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { type Message, SCHEDULED } from '../../model/message.ts';
import { contactZone } from '../../model/sending/instructions.ts';
import { type QuietHours, readQuietHours } from '../../model/sending/quiet-hours.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { EVENT_COLUMNS, emit } from '../feed/emit.ts';
import type { DueMessage } from '../messages/queue.ts';
import { quietAt } from '../messages/quiet-hours.ts';
import { openLanes } from '../messages/resending.ts';
import { COLUMNS, moveMessages } from '../messages/transitions.ts';
import type { Schema } from '../schema.ts';
import { inDatabase } from '../tables.ts';
import type { RoutedMessage } from './chain.ts';
import { type EndedState, refuseRouted, startRoute } from './starting.ts';

/* Messages leave the schedule: they join the ends of their lanes, or wait for the end of quiet hours, or end. */

/** The outcome of a release. */
export interface ReleaseResult {
  released: DueMessage[];
  deferred: DueMessage[];
  refused: DueMessage[];
  /** Messages whose last route has ended, with the state they are counted as. */
  ended: (Pick<Message, 'applicationId' | 'integrationId'> & { state: EndedState })[];
}

type QuietDue = Pick<DueMessage, 'applicationId' | 'category' | 'consentKey' | 'instructions'>;

type Deferred = DueMessage & { until: Millis };

/** Moves locked messages out of the schedule, in the given order. */
export async function releaseMessages(
  engine: Engine,
  trx: Kysely<Schema>,
  due: readonly DueMessage[],
  now: Millis,
): Promise<ReleaseResult> {
  const result: ReleaseResult = { released: [], deferred: [], refused: [], ended: [] };
  const { released, deferred, refused, ended } = result;
  if (due.length === 0) return result;
  const policies = await quietHoursOf(trx, due);
  const quietOf = (message: QuietDue) => {
    const policy = policies.get(message.applicationId);
    return policy && quietAt(policy, { ...message, zone: contactZone(message.instructions) }, now);
  };
  const later: Deferred[] = [];
  for (const one of due) {
    if (one.route !== null) {
      const routed = await beginRoute(engine, trx, one, quietOf, now);
      if (routed && 'ended' in routed) ended.push(routed.ended);
      else if (routed && 'until' in routed) later.push(routed);
      else if (routed) released.push(routed);
      continue;
    }
    const quiet = quietOf(one);
    if (quiet === undefined) released.push(one);
    else if (quiet === 'refused') refused.push(one);
    else later.push({ ...one, until: quiet.until });
  }
  await defer(trx, later, now);
  deferred.push(...later);
  await failScheduled(engine, trx, refused, 'quiet_hours', now);
  if (released.length > 0) {
    await openLanes(engine, trx, released, now);
    // Later than every message that is in the lanes, which are locked.
    const sequences = await engine.allocateSequences(trx, released.length);
    await joinLanes(engine, released, sequences, now).execute(trx);
  }
  return result;
}

/** Starts the next route of a message: the message joins its lane now or after quiet hours, or has no route left and ends. */
async function beginRoute(
  engine: Engine,
  trx: Kysely<Schema>,
  { applicationId, id }: DueMessage,
  quietOf: (message: RoutedMessage) => ReturnType<typeof quietAt>,
  now: Millis,
): Promise<DueMessage | Deferred | { ended: ReleaseResult['ended'][number] } | undefined> {
  const started = await startRoute(engine, trx, applicationId, id, now);
  if (!started) return undefined;
  const { message } = started;
  const { integrationId } = message;
  if ('ended' in started) {
    return { ended: { applicationId, integrationId, state: started.ended } };
  }
  const quiet = quietOf(message);
  if (quiet === 'refused') {
    const state = await refuseRouted(engine, trx, message, now);
    return { ended: { applicationId, integrationId, state } };
  }
  const due = { ...message, hasOutdatedAddress: 0 } as const;
  if (quiet) return { ...due, until: quiet.until };
  await started.start();
  return due;
}

async function defer(
  trx: Kysely<Schema>,
  messages: readonly Deferred[],
  now: Millis,
): Promise<void> {
  for (const { applicationId, id, until } of messages) {
    const deferred = await trx
      .updateTable('outbox')
      .set({ dueAt: until, reason: 'quiet_hours', updatedAt: now })
      .where((eb) => eb.and({ applicationId, id, settledAt: SCHEDULED }))
      .returning([...EVENT_COLUMNS, 'dueAt'])
      .execute();
    await emit(trx, deferred, 'scheduled', now);
  }
}

/** Ends scheduled messages. */
export async function failScheduled(
  engine: Engine,
  trx: Kysely<Schema>,
  messages: readonly Pick<Message, 'applicationId' | 'id'>[],
  reason: 'quiet_hours' | 'no_address',
  now: Millis,
): Promise<void> {
  const to = { state: 'failed', reason, settledAt: now, updatedAt: now } as const;
  for (const [applicationId, group] of Map.groupBy(messages, (one) => one.applicationId)) {
    const ids = group.map(({ id }) => id);
    const from = { applicationId, ids, settledAt: SCHEDULED, states: ['scheduled'] } as const;
    await emit(trx, await moveMessages(engine, trx, from, to), 'failed', now);
  }
}

/** The quiet hours of the applications that have some. */
async function quietHoursOf(
  trx: Kysely<Schema>,
  messages: readonly { applicationId: Id }[],
): Promise<Map<Id, QuietHours>> {
  const ids = new Set(messages.map(({ applicationId }) => applicationId));
  const rows = await trx
    .selectFrom('applications')
    .select(['id', 'quietHours'])
    .where('id', 'in', [...ids])
    .where('quietHours', 'is not', null)
    .execute();
  return new Map(rows.map(({ id, quietHours }) => [id, readQuietHours(quietHours)]));
}

/** Queues scheduled messages. On PostgreSQL they change partitions; see moveMessages. */
function joinLanes(
  { name }: Pick<Engine, 'name'>,
  messages: readonly { applicationId: Id; id: Id }[],
  sequences: readonly number[],
  now: Millis,
) {
  const ids = messages.map(({ id }) => id);
  if (name === 'sqlite') {
    const places = JSON.stringify(ids.map((id, i) => [id, sequences[i]]));
    return sql`update outbox set state = 'queued', settled_at = 0, sequence = p.value ->> 1, updated_at = ${now},
        reason = null, detail = null
      from json_each(${places}) p where outbox.id = p.value ->> 0`;
  }
  const applicationIds = messages.map(({ applicationId }) => applicationId);
  return sql`with place as materialized (
      select * from unnest(${applicationIds}::bigint[], ${ids}::bigint[], ${sequences}::bigint[])
        as p (application_id, id, position)
    ), gone as (
      delete from outbox_scheduled m using place p
      where m.application_id = any (array[p.application_id]) and m.id = any (array[p.id])
      returning m.*, p.position
    )
    insert into outbox_open (${TARGET}) select ${SOURCE}, 'queued', 0, position, ${now}::bigint, null, null from gone`;
}

const CHANGED = ['state', 'settledAt', 'sequence', 'updatedAt', 'reason', 'detail'] as const;
const names = (columns: readonly string[]) =>
  sql.join(columns.map((column) => sql.ref(inDatabase(column))));
const KEPT = Object.keys(COLUMNS).filter((column) => !CHANGED.some((other) => other === column));
const TARGET = names([...KEPT, ...CHANGED]);
const SOURCE = names(KEPT);
