import { type Kysely, sql } from 'kysely';

import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import { type Message, type MessageState, SCHEDULED, mayPrecede } from '../../model/message.ts';
import { dueBetweenRoutes } from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import { byIds } from '../by-ids.ts';
import { lockLanes, makeLanesDue } from '../delivery/lane-locks.ts';
import { repairLanes } from '../delivery/lane-repair.ts';
import { emit } from '../feed/emit.ts';
import { Repository } from '../repository.ts';
import { findRouted } from '../routes/chain.ts';
import { cancelRouted, closeChains } from '../routes/requests.ts';
import type { Lane, Ownership, Schema } from '../schema.ts';
import {
  type ChannelDepth,
  type QueuePosition,
  countBatch,
  endOfBatch,
  expiredMessages,
  scheduledMessages,
} from './queue.ts';
import { recentFirst } from './recent-first.ts';
import { type Resendable, resendAll } from './resending.ts';
import { IN_LANE, OPEN, moveMessages } from './transitions.ts';

/** The result of a request to change a message. */
export type Change =
  | {
      changed: true;
      integrationId: Id;
      /** Whether only routes were dropped and the message is not `canceled`. */
      isKept?: boolean;
    }
  | { changed: false; state: MessageState | 'orphaned' }
  | undefined;

/** Everything that decides when a queued message will be sent. */
export interface SendConditions {
  lane: Pick<Lane, 'dueAt' | 'messageId' | 'reason'> | undefined;
  pause: Pick<Ownership, 'pausedReason' | 'pausedDetail' | 'pausedUntil'> | undefined;
  enabled: boolean;
  /** The channel; undefined if the integration may not send. */
  channel: string | undefined;
  /** Whether a node owns the integration. */
  isOwned: boolean;
  /** Whether another message of the lane goes first. */
  isBehind: boolean;
}

const COUNT_BATCH = 5_000;

type LaneKey = Pick<Message, 'applicationId' | 'integrationId' | 'recipient'>;

/**
 * Removes messages from their lanes and puts them back. Locks lanes before messages, in key order, as dispatch rounds
 * do.
 */
export class Lanes extends Repository {
  /** Whether messages of the integration are scheduled, wait or are being sent. */
  async hasMessages(applicationId: Id, integrationId: Id): Promise<boolean> {
    const held = await this.db
      .selectFrom('lanes')
      .select('recipient')
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where('dueAt', 'is', null)
      .limit(1)
      .executeTakeFirst();
    if (held) return true;
    const queued = await this.db
      .selectFrom('outbox')
      .select('id')
      .where(OPEN)
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where(sql<boolean>`state = 'queued'`)
      .where(IN_LANE)
      .limit(1)
      .executeTakeFirst();
    if (queued) return true;
    const scheduled = scheduledMessages(this.engine, { applicationId, integrationId }, 1, true);
    return (await scheduled.execute(this.db)).rows.length > 0;
  }

  /** Cancels a message that is not being sent. Undefined if there is no such message. */
  async cancel(applicationId: Id, id: Id, now: Millis, audit?: AuditEntry): Promise<Change> {
    for (;;) {
      const change = await this.#cancel(applicationId, id, now, audit);
      // The message left or joined the schedule meanwhile.
      if (change !== 'moved') return change;
    }
  }

  #cancel(applicationId: Id, id: Id, now: Millis, audit?: AuditEntry): Promise<Change | 'moved'> {
    return this.db.transaction().execute(async (trx) => {
      const message = await this.#find(trx, applicationId, id);
      if (!message) return undefined;
      const isScheduled = message.settledAt === SCHEDULED;
      // A scheduled message is in no lane, and a release locks the message before its lane.
      if (!isScheduled) await lockLanes(this.engine, trx, [message]);
      // Read again, now under the lock.
      const { settledAt = 0 } = (await this.#find(trx, applicationId, id)) ?? {};
      if ((settledAt === SCHEDULED) !== isScheduled) return 'moved';
      if (message.route !== null) {
        return this.#cancelRoutes(trx, { applicationId, id }, isScheduled, now, audit);
      }
      const from = { applicationId, ids: [id], settledAt, states: mayPrecede('canceled') };
      const to = { state: 'canceled', settledAt: settledAt > 0 ? settledAt : now } as const;
      const canceled = await moveMessages(this.engine, trx, from, { ...to, updatedAt: now });
      if (canceled.length === 0)
        return isScheduled ? 'moved' : this.#unchanged(trx, applicationId, id);
      if (!isScheduled) await makeLanesDue(trx, [{ ...message, id }], now);
      await emit(trx, canceled, 'canceled', now);
      await recordAudit(trx, audit);
      return { changed: true, integrationId: message.integrationId };
    });
  }

  /** Its lane is locked, if it is in one. */
  async #cancelRoutes(
    trx: Kysely<Schema>,
    { applicationId, id }: Pick<Message, 'applicationId' | 'id'>,
    isScheduled: boolean,
    now: Millis,
    audit?: AuditEntry,
  ): Promise<Change | 'moved'> {
    const message = await findRouted(this.engine, trx, applicationId, id, true);
    if (!message || (message.settledAt === SCHEDULED) !== isScheduled) return 'moved';
    const result = await cancelRouted(this.engine, trx, message, now);
    if (result === 'unchanged') return { changed: false, state: message.state };
    if (message.state === 'queued') await makeLanesDue(trx, [message], now);
    await recordAudit(trx, audit);
    const { integrationId } = message;
    return { changed: true, integrationId, ...(result === 'dropped' && { isKept: true }) };
  }

  /**
   * Puts an unsuccessful message at the end of its lane, to be sent like a new one but without the parts that were
   * already sent. With `restart`, it continues with these routes. Undefined if there is no such message.
   */
  resend(
    applicationId: Id,
    id: Id,
    now: Millis,
    audit?: AuditEntry,
    restart?: Resendable['restart'],
  ): Promise<Change> {
    return this.db.transaction().execute(async (trx) => {
      const found = await this.#find(trx, applicationId, id);
      if (!found) return undefined;
      if (restart && found.settledAt !== restart.before.settledAt) {
        return this.#unchanged(trx, applicationId, id);
      }
      const { integrationId, recipient } = restart?.added[0] ?? found;
      const message = { ...found, integrationId, recipient };
      const messages = [{ ...message, id, ...(restart && { restart }) }];
      const { resent, orphaned } = await resendAll(this.engine, trx, applicationId, messages, now);
      if (orphaned.length > 0) return { changed: false, state: 'orphaned' };
      if (resent.length === 0) return this.#unchanged(trx, applicationId, id);
      await recordAudit(trx, audit);
      return { changed: true, integrationId: message.integrationId };
    });
  }

  /**
   * Settles queued and scheduled messages of a batch that a single request would have refused: the recipient does not
   * accept them, or quiet hours do not.
   */
  async refuse(
    applicationId: Id,
    ids: readonly Id[],
    reason: 'suppressed' | 'quiet_hours',
    now: Millis,
  ): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      const state = reason === 'suppressed' ? 'suppressed' : 'failed';
      const to = { state, reason, settledAt: now, updatedAt: now } as const;
      // Scheduled messages first: a release locks messages before their lanes.
      const parked = { settledAt: SCHEDULED, states: ['scheduled'] } as const;
      const early = await moveMessages(this.engine, trx, { applicationId, ids, ...parked }, to);
      const queued = await trx
        .selectFrom('messages')
        .select(['id', 'applicationId', 'integrationId', 'recipient'])
        .where(OPEN)
        .where(byIds(this.engine, applicationId, ids))
        .execute();
      await lockLanes(this.engine, trx, queued);
      const open = { settledAt: 0, states: ['queued'] } as const;
      const late = await moveMessages(this.engine, trx, { applicationId, ids, ...open }, to);
      await makeLanesDue(trx, queued, now);
      const all = [...early, ...late];
      await closeChains(this.engine, trx, all, { state, because: reason }, now);
      await emit(trx, all, state, now);
    });
  }

  /** Expires up to `limit` messages past their end time; returns their lanes. */
  async expire(now: Millis, limit: number): Promise<(LaneKey & Pick<Message, 'applicationId'>)[]> {
    const { rows: due } = await expiredMessages(this.engine, now, limit).execute(this.db);
    if (due.length === 0) return [];
    return this.db.transaction().execute(async (trx) => {
      await lockLanes(this.engine, trx, due);
      const to = { state: 'expired', reason: 'expired', settledAt: now, updatedAt: now } as const;
      // An earlier route may have got further: the next release decides.
      const parked = { ...to, state: 'scheduled', settledAt: SCHEDULED } as const;
      const expired = [];
      for (const [applicationId, messages] of Map.groupBy(due, (one) => one.applicationId)) {
        const plain = messages.filter((one) => !isRouted(one)).map(({ id }) => id);
        const from = { applicationId, settledAt: 0, states: ['queued'] } as const;
        expired.push(...(await moveMessages(this.engine, trx, { ...from, ids: plain }, to)));
        for (const one of messages.filter(isRouted)) {
          const between = { ...parked, dueAt: dueBetweenRoutes(one, now) };
          await moveMessages(this.engine, trx, { ...from, ids: [one.id] }, between);
        }
      }
      await makeLanesDue(trx, due, now);
      await emit(trx, expired, 'expired', now);
      return expired;
    });
  }

  /** Lanes that wait longer than any pause can explain become due. */
  repair(integrations: readonly Pick<LaneKey, 'applicationId' | 'integrationId'>[], now: Millis) {
    return repairLanes(this.engine, integrations, now);
  }

  async sendConditions(message: Message): Promise<SendConditions> {
    const { integrationId, applicationId, recipient, sequence } = message;
    const [lane, pause, open, first] = await Promise.all([
      this.db
        .selectFrom('lanes')
        .select(['dueAt', 'messageId', 'reason'])
        .where((eb) => eb.and({ applicationId, integrationId, recipient }))
        .executeTakeFirst(),
      this.db
        .selectFrom('ownerships')
        .select(['pausedReason', 'pausedDetail', 'pausedUntil', 'node'])
        .where((eb) => eb.and({ applicationId, integrationId }))
        .executeTakeFirst(),
      this.db
        .selectFrom('integrations')
        .innerJoin('applications', 'applications.id', 'integrations.applicationId')
        .select('integrations.name')
        .where((eb) =>
          eb.and({ 'integrations.applicationId': applicationId, 'integrations.id': integrationId }),
        )
        .where((eb) => eb.and({ 'integrations.state': 'enable', 'applications.state': 'enable' }))
        .executeTakeFirst(),
      this.db
        .selectFrom('outbox')
        .select('sequence')
        .where(OPEN)
        .where((eb) => eb.and({ applicationId, integrationId, recipient }))
        .where('state', '=', sql.lit('queued'))
        .where(IN_LANE)
        .orderBy('sequence')
        .limit(1)
        .executeTakeFirst(),
    ]);
    const isOtherInFlight = lane?.dueAt === null && lane.messageId !== message.id;
    const isBehind = isOtherInFlight || (first !== undefined && first.sequence < sequence);
    const isOwned = (pause?.node ?? null) !== null;
    return { lane, pause, enabled: open !== undefined, channel: open?.name, isOwned, isBehind };
  }

  /** The number of lanes of the integration that are due before this one, counted up to `limit`. */
  async countAhead(
    { applicationId, integrationId, recipient }: LaneKey,
    dueAt: Millis,
    limit: number,
  ): Promise<number> {
    const ahead = this.db
      .selectFrom('lanes')
      .select('recipient')
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where('dueAt', '<=', dueAt)
      // Lanes of a batch are due at the same time; the recipient breaks the tie.
      .where(({ or, eb }) => or([eb('dueAt', '<', dueAt), eb('recipient', '<', recipient)]))
      .limit(limit);
    const { count } = await this.db
      .selectFrom(ahead.as('ahead'))
      .select(sql<number>`cast(count(*) as integer)`.as('count'))
      .executeTakeFirstOrThrow();
    return count;
  }

  /**
   * Retries a waiting message now. Undefined if there is no such message; unchanged if it waits for anything but a
   * retry.
   */
  retry(applicationId: Id, id: Id, now: Millis, audit?: AuditEntry): Promise<Change> {
    return this.db.transaction().execute(async (trx) => {
      const message = await this.#find(trx, applicationId, id);
      if (!message) return undefined;
      const { integrationId, recipient } = message;
      const lane = await trx
        .updateTable('lanes')
        .set({ dueAt: now, messageId: null, reason: null })
        .where((eb) => eb.and({ applicationId, integrationId, recipient, messageId: id }))
        .where('reason', '=', 'retry')
        .where('dueAt', '>', now)
        .returning('recipient')
        .executeTakeFirst();
      if (!lane) return this.#unchanged(trx, applicationId, id);
      await recordAudit(trx, audit);
      return { changed: true, integrationId };
    });
  }

  /** The number of queued live messages, in batches in the order of the queue. */
  async *depths(): AsyncGenerator<{ counts: ChannelDepth[]; isLast: boolean }> {
    let after: QueuePosition = { applicationId: 0, integrationId: 0, recipient: '', sequence: 0 };
    for (;;) {
      const { rows: ends } = await endOfBatch(this.engine, after, COUNT_BATCH).execute(this.db);
      const [end] = ends;
      const { rows: counts } = await countBatch(this.engine, after, end).execute(this.db);
      yield { counts, isLast: !end };
      if (!end) return;
      after = end;
    }
  }

  #find(trx: Kysely<Schema>, applicationId: Id, id: Id) {
    return recentFirst(this.engine, (where) =>
      trx
        .selectFrom('messages')
        .select(['applicationId', 'integrationId', 'recipient', 'state', 'settledAt', 'route'])
        .where((eb) => eb.and({ applicationId, id }))
        .where(where)
        .executeTakeFirst(),
    );
  }

  async #unchanged(trx: Kysely<Schema>, applicationId: Id, id: Id): Promise<Change> {
    const message = await this.#find(trx, applicationId, id);
    return message && { changed: false, state: message.state };
  }
}

const isRouted = ({ route }: Pick<Message, 'route'>): boolean => route !== null;
