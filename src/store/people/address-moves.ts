import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { reordered } from '../../model/sending/lane-order.ts';
import type { Millis } from '../../model/timestamp.ts';
import { byIds } from '../by-ids.ts';
import { openLanes } from '../messages/resending.ts';
import { IN_LANE, OPEN } from '../messages/transitions.ts';
import { Repository } from '../repository.ts';
import type { Lane, Schema } from '../schema.ts';
import {
  QUEUED,
  type Queued,
  explained,
  isOwn,
  isToContact,
  keyOr,
  started,
} from './moved-messages.ts';
import type { AddressMove } from './rows.ts';

/*
 * When a person gives up an address, the messages in its lane move to the lane of the new address. Both lanes are
 * locked, so their queues cannot change meanwhile. docs/decisions/0058-address-changes.md explains the cases.
 */

/** Messages that move in one transaction, the last ones first. */
const MAX_TOGETHER = 500;
/** Messages at the front of the lane whose order is checked. */
const MAX_FRONT = 1_000;
/** How long a lane waits for an earlier message in the other lane, unless that one is settled before. */
const HOLD_MS = 60 * 60 * 1000;
/** Delays a lane whose first message has changed: a claim that found it due before must not start the wrong message. */
const PAUSE_MS = 1_000;
const RETRY_MS = 1_000;
/** Messages of a lane that are searched for the last one to a contact. */
const MAX_SEARCHED = 50;

/**
 * `done`: all messages have moved. `held`: the new lane waits for a message of the former one that is being sent.
 * `busy`: messages of both lanes are being sent, and nothing has moved. The last two are tried again.
 */
export type MoveResult = 'done' | 'held' | 'busy';

type NewMove = Omit<AddressMove, 'dueAt'>;

const IS_QUEUED = sql<boolean>`state = 'queued'`;

export class AddressMoves extends Repository {
  /** Moves the messages of the former lane, if there are any. */
  async move(move: NewMove, now: Millis): Promise<MoveResult> {
    const { applicationId, integrationId, former, recipient } = move;
    if (former === recipient) return 'done';
    const lane = await this.db
      .selectFrom('lanes')
      .select('recipient')
      .where((eb) => eb.and({ applicationId, integrationId, recipient: former }))
      .executeTakeFirst();
    return lane ? this.#moveAll(move, now, true) : 'done';
  }

  /**
   * The lanes in which messages to these contacts wait, first the lane with the most recent message. Only the last
   * messages of very long lanes are read.
   */
  async lanesOf(
    { applicationId, integrationId }: Pick<NewMove, 'applicationId' | 'integrationId'>,
    recipients: readonly string[],
    contactIds: () => Promise<readonly Id[]>,
  ): Promise<string[]> {
    const lanes = await this.db
      .selectFrom('lanes')
      .selectAll()
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where('recipient', 'in', recipients)
      .execute();
    if (lanes.length === 0) return [];
    const about = { contactIds: JSON.stringify(await contactIds()) };
    const found: { recipient: string; sequence: number }[] = [];
    for (const { recipient, dueAt, messageId } of lanes) {
      const place = { applicationId, integrationId };
      const queued = await this.#queued(this.db, place, recipient, 'desc', MAX_SEARCHED);
      const isSending = dueAt === null && messageId !== null;
      const sending = isSending ? await this.#message(this.db, place, messageId) : undefined;
      const last = [...queued, ...(sending ? [sending] : [])].find((one) => isOwn(about, one));
      if (last) found.push({ recipient, sequence: last.sequence });
    }
    return found.toSorted((a, b) => b.sequence - a.sequence).map(({ recipient }) => recipient);
  }

  /** Continues up to `limit` moves that had to wait; returns their integrations. */
  async run(now: Millis, limit: number): Promise<Pick<AddressMove, 'integrationId'>[]> {
    const due = await this.db
      .selectFrom('addressMoves')
      .selectAll()
      .where('dueAt', '<=', now)
      .orderBy('dueAt')
      .limit(limit)
      .execute();
    for (const { dueAt: _, ...move } of due) await this.#moveAll(move, now, false);
    return due;
  }

  async #moveAll(move: NewMove, now: Millis, isNew: boolean): Promise<MoveResult> {
    for (let isFirst = isNew; ; isFirst = false) {
      const step = (trx: Kysely<Schema>) => this.#step(trx, move, now, isFirst);
      const result = await this.db.transaction().execute(step);
      if (result !== 'more') return result;
    }
  }

  async #step(
    trx: Kysely<Schema>,
    move: NewMove,
    now: Millis,
    isNew: boolean,
  ): Promise<MoveResult | 'more'> {
    const { applicationId, integrationId, former, recipient } = move;
    const place = { applicationId, integrationId };
    // Also locks both, in the order of all statements.
    await openLanes(
      this.engine,
      trx,
      [
        { ...place, recipient: former },
        { ...place, recipient },
      ],
      now,
    );
    const [from, to] = [
      await this.#lane(trx, move, former),
      await this.#lane(trx, move, recipient),
    ];
    if (!isNew && !(await this.#isOpen(trx, move))) {
      for (const lane of [from, to]) await this.#close(trx, move, lane);
      return 'done';
    }
    // The person has the new address again.
    await this.#forget(trx, { ...move, former: recipient }, former);
    const others = await this.#others(trx, move);
    const found = await this.#queued(trx, move, former, 'desc', MAX_TOGETHER + 1);
    const own = found.slice(0, MAX_TOGETHER).filter((one) => isOwn(move, one));
    const hasMore = found.length > MAX_TOGETHER && own.length > 0;
    const isAhead = others.toFormer.length > 0 || (await this.#isSending(trx, move, from));
    const isLeft = hasMore || isAhead;
    if (isLeft && to.dueAt === null) {
      await this.#remember(trx, move, now);
      await this.#close(trx, move, from);
      return 'busy';
    }
    await this.#readdress(trx, move, own, now);
    await this.#retarget(trx, move, others.toFormer);
    if (!isLeft) await this.#arrange(trx, move, to, own);
    await this.#close(trx, move, from);
    if (isLeft || others.toRecipient) {
      await this.#hold(trx, move, to, now + HOLD_MS);
      if (isLeft) await this.#remember(trx, move, now);
      else await this.#forget(trx, move);
      return isAhead || others.toRecipient ? 'held' : 'more';
    }
    await this.#forget(trx, move);
    await this.#release(trx, move, to, own.length > 0, now);
    return 'done';
  }

  async #lane(trx: Kysely<Schema>, { applicationId, integrationId }: NewMove, recipient: string) {
    return trx
      .selectFrom('lanes')
      .selectAll()
      .where((eb) => eb.and({ applicationId, integrationId, recipient }))
      .executeTakeFirstOrThrow();
  }

  /** Other moves that are not done: those to the former address, and whether there are any to the new one. */
  async #others(trx: Kysely<Schema>, { applicationId, integrationId, former, recipient }: NewMove) {
    const rows = await trx
      .selectFrom('addressMoves')
      .select(['former', 'recipient'])
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where('recipient', 'in', [former, recipient])
      .where('former', '<>', former)
      .execute();
    const to = (address: string) => rows.filter((one) => one.recipient === address);
    return { toFormer: to(former), toRecipient: to(recipient).length > 0 };
  }

  #queued(
    trx: Kysely<Schema>,
    { applicationId, integrationId }: Pick<NewMove, 'applicationId' | 'integrationId'>,
    recipient: string,
    order: 'asc' | 'desc',
    limit: number,
  ): Promise<Queued[]> {
    return trx
      .selectFrom('messages')
      .select(QUEUED)
      .where(OPEN)
      .where((eb) => eb.and({ applicationId, integrationId, recipient }))
      .where(IS_QUEUED)
      .where(IN_LANE)
      .orderBy('sequence', order)
      .limit(limit)
      .execute();
  }

  /** Whether a message that would move is being sent. */
  async #isSending(trx: Kysely<Schema>, move: NewMove, { dueAt, messageId }: Lane) {
    if (dueAt !== null || messageId === null) return false;
    if (move.contactIds === null) return true;
    const message = await this.#message(trx, move, messageId);
    return message !== undefined && isOwn(move, message);
  }

  #message(
    trx: Kysely<Schema>,
    { applicationId }: Pick<NewMove, 'applicationId'>,
    id: Id,
  ): Promise<Queued | undefined> {
    return trx
      .selectFrom('messages')
      .select(QUEUED)
      .where(OPEN)
      .where(byIds(this.engine, applicationId, [id]))
      .executeTakeFirst();
  }

  /** Changes the address of queued messages, and of their routes to the former address. */
  async #readdress(trx: Kysely<Schema>, move: NewMove, own: readonly Queued[], now: Millis) {
    const { applicationId, integrationId, former, recipient, consentKey } = move;
    const change = { recipient, updatedAt: now };
    const set = async (ids: readonly Id[], instructions?: string | null) => {
      if (ids.length === 0) return;
      await trx
        .updateTable('outbox')
        .set((eb) => ({
          ...change,
          ...(instructions !== undefined && { instructions }),
          ...(consentKey !== null && { consentKey: keyOr(eb.ref('consentKey'), consentKey) }),
        }))
        .where(OPEN)
        .where(byIds(this.engine, applicationId, ids))
        .execute();
    };
    await set(own.flatMap((one) => (isToContact(one) ? [] : [one.id])));
    for (const one of own.filter(isToContact)) await set([one.id], explained(one));
    const routed = own.flatMap(({ id, route }) => (route === null ? [] : [id]));
    if (routed.length === 0) return;
    await trx
      .updateTable('routes')
      .set((eb) => ({
        recipient,
        ...(consentKey !== null && { consentKey: keyOr(eb.ref('consentKey'), consentKey) }),
      }))
      .where((eb) => eb.and({ applicationId, integrationId, recipient: former }))
      .where('messageId', 'in', routed)
      .where('state', 'in', ['active', 'pending'])
      .execute();
  }

  /** Messages that were about to move to the former address move to the new one instead. */
  async #retarget(trx: Kysely<Schema>, move: NewMove, moves: readonly { former: string }[]) {
    const { applicationId, integrationId, recipient, consentKey } = move;
    if (moves.length === 0) return;
    const formers = moves.map(({ former }) => former);
    await trx
      .updateTable('addressMoves')
      .set({ recipient, ...(consentKey !== null && { consentKey }) })
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where('former', 'in', formers)
      .execute();
  }

  /** Keeps the parts of messages together; all others are in the order in which they joined their lanes. */
  async #arrange(trx: Kysely<Schema>, move: NewMove, lane: Lane, moved: readonly Queued[]) {
    const { applicationId, recipient } = move;
    const front = await this.#queued(trx, move, recipient, 'asc', MAX_FRONT);
    const movedIds = new Set(moved.map(({ id }) => id));
    const inFlight =
      lane.dueAt === null && lane.messageId !== null
        ? await this.#message(trx, move, lane.messageId)
        : undefined;
    const before = [
      ...(inFlight ? [inFlight] : []),
      ...front.filter(({ id }) => !movedIds.has(id)),
    ];
    const joined = front.filter(({ id }) => movedIds.has(id));
    const changes = reordered([...started(before, inFlight), ...started(joined)]);
    for (const [id, sequence] of changes) {
      await trx
        .updateTable('outbox')
        .set({ sequence })
        .where(OPEN)
        .where(byIds(this.engine, applicationId, [id]))
        .execute();
    }
  }

  /** Deletes a lane in which nothing waits. */
  async #close(trx: Kysely<Schema>, move: NewMove, { recipient, dueAt }: Lane): Promise<boolean> {
    if (dueAt === null) return false;
    const { applicationId, integrationId } = move;
    const [first] = await this.#queued(trx, move, recipient, 'asc', 1);
    if (first) return false;
    await trx
      .deleteFrom('lanes')
      .where((eb) => eb.and({ applicationId, integrationId, recipient }))
      .execute();
    return true;
  }

  async #hold(trx: Kysely<Schema>, move: NewMove, { dueAt, recipient }: Lane, until: Millis) {
    if (dueAt === null) return;
    const { applicationId, integrationId } = move;
    await trx
      .updateTable('lanes')
      .set({ dueAt: until, messageId: null, reason: 'order' })
      .where((eb) => eb.and({ applicationId, integrationId, recipient }))
      .execute();
  }

  /** Makes the lane due, unless it waits for something else. */
  async #release(
    trx: Kysely<Schema>,
    move: NewMove,
    lane: Lane,
    isChanged: boolean,
    now: Millis,
  ): Promise<void> {
    const { dueAt, reason, recipient } = lane;
    if (dueAt === null || (await this.#close(trx, move, lane))) return;
    const { applicationId, integrationId } = move;
    const isHeld = reason === 'order';
    if (!isHeld && !isChanged) return;
    await trx
      .updateTable('lanes')
      .set({
        dueAt: isHeld ? now : Math.max(dueAt, now + PAUSE_MS),
        ...(isHeld && { reason: null }),
      })
      .where((eb) => eb.and({ applicationId, integrationId, recipient }))
      .execute();
  }

  async #remember(trx: Kysely<Schema>, move: NewMove, now: Millis): Promise<void> {
    const { applicationId: _, integrationId: __, former: ___, ...change } = move;
    const dueAt = now + RETRY_MS;
    await trx
      .insertInto('addressMoves')
      .values({ ...move, dueAt })
      .onConflict((conflict) =>
        conflict
          .columns(['applicationId', 'integrationId', 'former'])
          .doUpdateSet({ ...change, dueAt }),
      )
      .execute();
  }

  /** Whether the move still has to be made: another address may have followed the new one. */
  async #isOpen(
    trx: Kysely<Schema>,
    { applicationId, integrationId, former, recipient }: NewMove,
  ): Promise<boolean> {
    const row = await trx
      .selectFrom('addressMoves')
      .select('recipient')
      .where((eb) => eb.and({ applicationId, integrationId, former }))
      .executeTakeFirst();
    return row?.recipient === recipient;
  }

  async #forget(
    trx: Kysely<Schema>,
    { applicationId, integrationId, former, recipient }: NewMove,
    to = recipient,
  ): Promise<void> {
    await trx
      .deleteFrom('addressMoves')
      .where((eb) => eb.and({ applicationId, integrationId, former, recipient: to }))
      .execute();
  }
}
