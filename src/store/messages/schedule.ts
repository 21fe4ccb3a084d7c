import { type Kysely, sql } from 'kysely';

import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import { type Message, type NewMessage, SCHEDULED } from '../../model/message.ts';
import {
  type QuietHours,
  readQuietHours,
  writeQuietHours,
} from '../../model/sending/quiet-hours.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import { recordChanges } from '../accounts/changes.ts';
import type { Engine } from '../engine.ts';
import { EVENT_OF_STATE, emit } from '../feed/emit.ts';
import { Repository } from '../repository.ts';
import type { RoutedMessage } from '../routes/chain.ts';
import { replaceRoutes } from '../routes/requests.ts';
import { refuseRouted, startRoute } from '../routes/starting.ts';
import type { Schema } from '../schema.ts';
import { inDatabase } from '../tables.ts';
import { type DueMessage, dueMessages } from './queue.ts';
import { quietAt } from './quiet-hours.ts';
import { openLanes } from './resending.ts';
import { COLUMNS, moveMessages } from './transitions.ts';

/** The fields of a scheduled message that a request may change. */
export type ScheduleChange = Partial<
  Pick<
    NewMessage,
    | 'integrationId'
    | 'recipient'
    | 'activity'
    | 'instructions'
    | 'category'
    | 'consentKey'
    | 'objectId'
    | 'type'
    | 'expiresAt'
    | 'dueAt'
    | 'reason'
    | 'route'
    | 'routes'
  >
>;

/** The outcome of a release. */
export interface Released {
  released: DueMessage[];
  deferred: DueMessage[];
  refused: DueMessage[];
  /** Messages whose last route has ended, with the state they are counted as. */
  ended: (Pick<Message, 'applicationId' | 'integrationId'> & { state: EndedState })[];
  /** Whether there may be more. */
  isFull: boolean;
}

/** `settled`: another route had sent it, and was counted then. */
type EndedState = 'settled' | 'failed' | 'expired' | 'suppressed';

type Deferred = DueMessage & { until: Millis };

/**
 * The schedule: messages that wait for their time, outside the lanes. Every statement locks a scheduled message before
 * a lane, and none waits for one while it has locked a lane, so none can deadlock with a release.
 */
export class Schedule extends Repository {
  /**
   * Moves up to `limit` due messages to the ends of their lanes, in the order of their times, in one transaction; those
   * in quiet hours are deferred or fail. Any number of nodes may do so at once.
   */
  release(now: Millis, limit: number): Promise<Released> {
    return this.db.transaction().execute(async (trx) => {
      const { rows: due } = await dueMessages(this.engine, now, limit).execute(trx);
      const result: Released = {
        released: [],
        deferred: [],
        refused: [],
        ended: [],
        isFull: due.length === limit,
      };
      if (due.length === 0) return result;
      const { released, deferred, refused, ended } = result;
      const policies = await quietHoursOf(trx, due);
      const quietOf = (message: Pick<DueMessage, 'applicationId' | 'category' | 'consentKey'>) => {
        const policy = policies.get(message.applicationId);
        return policy && quietAt(policy, message, now);
      };
      const later: Deferred[] = [];
      const never: DueMessage[] = [];
      for (const one of due) {
        if (one.route !== null) {
          const routed = await this.#startRoute(trx, one, quietOf, now);
          if (routed && 'ended' in routed) ended.push(routed.ended);
          else if (routed && 'until' in routed) later.push(routed);
          else if (routed) released.push(routed);
          continue;
        }
        const quiet = quietOf(one);
        if (quiet === undefined) released.push(one);
        else if (quiet === 'refused') never.push(one);
        else later.push({ ...one, until: quiet.until });
      }
      await this.#defer(trx, later, now);
      await this.#refuse(trx, never, now);
      deferred.push(...later);
      refused.push(...never);
      if (released.length > 0) {
        await openLanes(this.engine, trx, released, now);
        // Later than every message that is in the lanes, which are locked.
        const sequences = await this.engine.allocateSequences(trx, released.length);
        await joinLanes(this.engine, released, sequences, now).execute(trx);
      }
      return result;
    });
  }

  /** Starts the route of a message that has several: it joins the lane now or after quiet hours, or its chain has ended. */
  async #startRoute(
    trx: Kysely<Schema>,
    { applicationId, id }: DueMessage,
    quietOf: (message: RoutedMessage) => ReturnType<typeof quietAt>,
    now: Millis,
  ): Promise<DueMessage | Deferred | { ended: Released['ended'][number] } | undefined> {
    const started = await startRoute(this.engine, trx, applicationId, id, now);
    if (!started) return undefined;
    const { message } = started;
    const { integrationId } = message;
    if ('ended' in started) {
      return { ended: { applicationId, integrationId, state: started.ended } };
    }
    const quiet = quietOf(message);
    if (quiet === 'refused') {
      await refuseRouted(this.engine, trx, message, now);
      return { ended: { applicationId, integrationId, state: 'failed' } };
    }
    if (quiet) return { ...message, until: quiet.until };
    await started.start();
    return message;
  }

  async #defer(trx: Kysely<Schema>, messages: readonly Deferred[], now: Millis): Promise<void> {
    for (const { applicationId, id, until } of messages) {
      const deferred = await trx
        .updateTable('outbox')
        .set({ dueAt: until, reason: 'quiet_hours', updatedAt: now })
        .where((eb) => eb.and({ applicationId, id, settledAt: SCHEDULED }))
        .returning([...EVENT_OF_STATE, 'dueAt'])
        .execute();
      await emit(trx, deferred, 'scheduled', now);
    }
  }

  async #refuse(trx: Kysely<Schema>, messages: readonly DueMessage[], now: Millis): Promise<void> {
    const to = { state: 'failed', reason: 'quiet_hours', settledAt: now, updatedAt: now } as const;
    for (const [applicationId, own] of Map.groupBy(messages, (one) => one.applicationId)) {
      const ids = own.map(({ id }) => id);
      const from = { applicationId, ids, settledAt: SCHEDULED, states: ['scheduled'] } as const;
      await emit(trx, await moveMessages(this.engine, trx, from, to), 'failed', now);
    }
  }

  /** The quiet hours of an application; undefined if it does not exist. */
  async quietHours(applicationId: Id): Promise<QuietHours | undefined> {
    const row = await this.db
      .selectFrom('applications')
      .select('quietHours')
      .where('id', '=', applicationId)
      .executeTakeFirst();
    return row && readQuietHours(row.quietHours);
  }

  async setQuietHours(
    applicationId: Id,
    quietHours: QuietHours,
    audit?: AuditEntry,
  ): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('applications')
        .set({ quietHours: writeQuietHours(quietHours) })
        .where('id', '=', applicationId)
        .execute();
      await recordAudit(trx, audit);
      await recordChanges(trx, applicationId);
    });
  }

  /** Changes a scheduled message; returns whether it was still scheduled. Its routes are replaced, if any are given. */
  change(
    { applicationId, id, reason }: Pick<Message, 'applicationId' | 'id' | 'reason'>,
    { routes, ...change }: ScheduleChange,
    now: Millis,
    audit?: AuditEntry,
  ): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const changed = await trx
        .updateTable('outbox')
        .set({ ...change, updatedAt: now })
        .where('reason', reason === null ? 'is' : '=', reason)
        .where((eb) => eb.and({ applicationId, id, settledAt: SCHEDULED, state: 'scheduled' }))
        .returning('id')
        .executeTakeFirst();
      if (changed && routes) await replaceRoutes(trx, { applicationId, id }, routes);
      if (changed) await recordAudit(trx, audit);
      return changed !== undefined;
    });
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
