import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import { SCHEDULED } from '../../model/message.ts';
import {
  FAILOVER,
  type MessageRoute,
  type RouteReport,
  type Step,
  dueBetweenRoutes,
  nextStep,
  progressOf,
  wasSentWhole,
} from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import { lockLanes, makeLanesDue } from '../delivery/lane-locks.ts';
import type { DueMessage } from '../messages/queue.ts';
import { type Resendable, openLanes } from '../messages/resending.ts';
import { moveMessages } from '../messages/transitions.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import {
  type RoutedMessage,
  adopt,
  changeRoute,
  changedMessage,
  closeChain,
  findRouted,
  leftBehind,
  removeRoutes,
  routesOf,
  wasUncertain,
} from './chain.ts';
import { dropRemaining } from './changes.ts';
import { reportsOf } from './part-reports.ts';
import {
  type Lane,
  assignNext,
  failingOver,
  isSameLane,
  nextLane,
  queuedTogether,
} from './pool-lane.ts';
import { type ReleaseResult, releaseMessages } from './release.ts';
import { restartedRoutes } from './restarting.ts';

/** How long a message waits before it is checked again, if another message must move to the next pool member first. */
const RECHECK_MS = 1_000;

/** A message that was checked because its route was due. */
export interface CheckedMessage {
  applicationId: Id;
  /** The integration whose lane the message left, if it was in one. */
  integrationId: Id | undefined;
  /** The step taken; undefined if the message no longer exists, or another node was faster. */
  step: Step['step'] | undefined;
  /** The messages that moved to the next member of their pool together. */
  moved?: ReleaseResult;
}

/** The message, or one that moves with it, changed before its locks were taken. */
class ConcurrentChange extends Error {}

/**
 * The routes of messages that have several. A route is due at its deadline and when a report arrives. Each message is
 * checked in its own transaction, which locks its lane, the message and its routes, in this order.
 */
export class Routes extends Repository {
  list(applicationId: Id, messageId: Id): Promise<MessageRoute[]> {
    return routesOf(this.engine, this.db, applicationId, messageId);
  }

  /** What `lanes.resend` needs to start this route again; undefined if that is not possible. */
  async restart(
    applicationId: Id,
    messageId: Id,
    number: number,
    now: Millis,
  ): Promise<Resendable['restart']> {
    const before = await findRouted(this.engine, this.db, applicationId, messageId);
    const routes = await routesOf(this.engine, this.db, applicationId, messageId);
    const added = before && restartedRoutes(routes, number, before, now);
    return added && { added, before };
  }

  /** Drops the routes that a deleted message has not started. */
  async drop(applicationId: Id, messageId: Id, now: Millis): Promise<void> {
    await this.db
      .transaction()
      .execute((trx) => dropRemaining(this.engine, trx, applicationId, messageId, now));
  }

  /** Checks up to `limit` messages whose routes are due. Any number of nodes may do so at once. */
  async run(now: Millis, limit: number): Promise<CheckedMessage[]> {
    const due = await this.db
      .selectFrom('routes')
      .select(['applicationId', 'messageId'])
      .where('dueAt', 'is not', null)
      .where('dueAt', '<=', now)
      .orderBy('dueAt')
      .limit(limit)
      .execute();
    const checked: CheckedMessage[] = [];
    for (const { applicationId, messageId } of due) {
      checked.push(await this.#check(applicationId, messageId, now));
    }
    return checked;
  }

  async #check(applicationId: Id, messageId: Id, now: Millis): Promise<CheckedMessage> {
    const message = { applicationId, messageId };
    for (let target: Lane | undefined; ;) {
      const checked = await this.db
        .transaction()
        .execute((trx) => this.#checkOnce(trx, message, target, now))
        .catch((error: unknown) => {
          if (error instanceof ConcurrentChange) return 'changed' as const;
          throw error;
        });
      // The message changed meanwhile: read it again.
      if (checked === 'changed') target = undefined;
      else if ('target' in checked) ({ target } = checked);
      else return { applicationId, ...checked };
    }
  }

  /**
   * `target` is the lane that the message joins if it moves to the next member of its pool. It is locked together with the
   * current lane of the message.
   */
  async #checkOnce(
    trx: Kysely<Schema>,
    { applicationId, messageId }: { applicationId: Id; messageId: Id },
    target: Lane | undefined,
    now: Millis,
  ): Promise<Omit<CheckedMessage, 'applicationId'> | { target: Lane }> {
    const nothing = { integrationId: undefined, step: undefined };
    const before = await findRouted(this.engine, trx, applicationId, messageId);
    if (!before) {
      await removeRoutes(trx, applicationId, [messageId]);
      return nothing;
    }
    const isInLane = before.settledAt === 0;
    if (target && !isInLane) throw new ConcurrentChange();
    if (target) await openLanes(this.engine, trx, [before, target], now);
    else if (isInLane) await lockLanes(this.engine, trx, [before]);
    const message = await findRouted(this.engine, trx, applicationId, messageId, true);
    if (!message || !isSamePlace(message, before)) throw new ConcurrentChange();
    const routes = await routesOf(this.engine, trx, applicationId, messageId);
    const active = routes[message.route];
    if (!active || active.dueAt === null || active.dueAt > now) {
      if (target) throw new ConcurrentChange();
      await this.#clearOthers(trx, routes, message.route);
      return nothing;
    }
    const { reports, details } = await reportsOf(trx, message, routes);
    await recordReports(trx, routes, message.route, reports);
    const mayBeSent = active.poolId !== null && (await wasUncertain(trx, message, active));
    const isChange = changedMessage(message) !== undefined;
    const step = nextStep({ ...message, mayBeSent, isChange }, routes, reports, now);
    if (step.step === 'leave' && step.because === FAILOVER) {
      return this.#failOver(trx, message, active, target, now);
    }
    if (target) throw new ConcurrentChange();
    if (step.step === 'wait') await changeRoute(trx, active, { dueAt: step.until });
    else if (step.step === 'close') await this.#close(trx, message, routes, now);
    else if (step.step === 'adopt') await adopt(this.engine, trx, message, routes, step, now);
    else {
      const detail = step.because === 'undelivered' ? (details.get(message.route) ?? null) : null;
      await this.#leave(trx, message, active, { because: step.because, detail }, now);
    }
    const hasLeft = step.step === 'leave' || step.step === 'adopt';
    if (isInLane && hasLeft) await makeLanesDue(trx, [message], now);
    return {
      integrationId: isInLane && hasLeft ? message.integrationId : undefined,
      step: step.step,
    };
  }

  /**
   * Moves a message, and the messages of the pool behind it, to the lane of the next member. If another message must move
   * first, this one waits. They leave one lane and join the other in one transaction, so messages accepted later stay behind
   * them.
   */
  async #failOver(
    trx: Kysely<Schema>,
    message: RoutedMessage,
    active: MessageRoute,
    target: Lane | undefined,
    now: Millis,
  ): Promise<Omit<CheckedMessage, 'applicationId'> | { target: Lane }> {
    const { applicationId, integrationId } = message;
    const together = await queuedTogether(trx, message, active);
    if (together === 'behind') {
      if (target) throw new ConcurrentChange();
      await changeRoute(trx, active, { dueAt: now + RECHECK_MS });
      return { integrationId: undefined, step: 'wait' };
    }
    const next = await nextLane(this.engine, trx, message, active);
    if (!target) return { target: next };
    if (!isSameLane(next, target)) throw new ConcurrentChange();
    const moving = await failingOver(this.engine, trx, applicationId, together);
    await assignNext(this.engine, trx, message, active, now);
    for (const one of moving) {
      const cause = { because: FAILOVER, detail: null };
      await this.#leave(trx, one.message, one.active, cause, now);
    }
    const messages = moving.map((one) => one.message);
    await makeLanesDue(trx, messages, now);
    const moved = await releaseMessages(this.engine, trx, messages.map(dueMessage), now);
    return { integrationId, step: 'leave', moved };
  }

  /** A route that is not active must not be due. */
  async #clearOthers(trx: Kysely<Schema>, routes: readonly MessageRoute[], active: number) {
    for (const route of routes) {
      if (route.number !== active && route.dueAt !== null) {
        await changeRoute(trx, route, { dueAt: null });
      }
    }
  }

  async #close(
    trx: Kysely<Schema>,
    message: RoutedMessage,
    routes: readonly MessageRoute[],
    now: Millis,
  ): Promise<void> {
    const active = routes[message.route];
    const { state } = message;
    const isOpen = state === 'queued' || state === 'sending' || state === 'scheduled';
    if (active && !isOpen) await changeRoute(trx, active, { ...leftBehind(message, now), state });
    await closeChain(trx, message, routes, now);
  }

  /** Parks the message: the next release starts the next route, unless a report prevents it. */
  async #leave(
    trx: Kysely<Schema>,
    message: RoutedMessage,
    active: MessageRoute,
    { because, detail }: { because: string; detail: string | null },
    now: Millis,
  ): Promise<void> {
    const { applicationId, id, settledAt, state } = message;
    const from = { applicationId, ids: [id], settledAt, states: [state] };
    await moveMessages(this.engine, trx, from, {
      state: 'scheduled',
      settledAt: SCHEDULED,
      updatedAt: now,
      dueAt: dueBetweenRoutes(message, now),
      reason: because,
      detail,
    });
    const wasSent = because !== 'undelivered' && progressOf(state) > 0;
    const ended = wasSent && (state === 'sent' || state === 'delivered') ? state : 'failed';
    await changeRoute(trx, active, { dueAt: null, state: ended, because });
  }

  /**
   * Shifts deadlines by the step of a clock that moved backwards. Each node shifts those of its own integrations, so none
   * is shifted twice.
   */
  async moveBack(node: string, by: Millis, now: Millis): Promise<void> {
    await this.db
      .updateTable('routes')
      .set(({ eb }) => ({
        dueAt: eb
          .case()
          .when('dueAt', '>', now + by)
          .then(eb('dueAt', '-', by))
          .else(eb.val(now))
          .end(),
        deadline: eb('deadline', '-', by),
        failoverAt: eb('failoverAt', '-', by),
      }))
      .where('dueAt', '>', now)
      .where(({ eb, refTuple }) =>
        eb(
          refTuple('applicationId', 'integrationId'),
          'in',
          eb
            .selectFrom('ownerships')
            .select(['applicationId', 'integrationId'])
            .where('node', '=', node)
            .$asTuple('applicationId', 'integrationId'),
        ),
      )
      .execute();
  }
}

const dueMessage = (message: RoutedMessage): DueMessage => ({
  ...message,
  instructions: null,
  hasOutdatedAddress: 0,
});

const isSamePlace = (a: RoutedMessage, b: RoutedMessage): boolean =>
  a.settledAt === b.settledAt && a.integrationId === b.integrationId && a.recipient === b.recipient;

/** Records delivery reports on routes that the message has left. */
async function recordReports(
  trx: Kysely<Schema>,
  routes: readonly MessageRoute[],
  active: number,
  reports: ReadonlyMap<number, RouteReport>,
): Promise<void> {
  for (const route of routes) {
    const report = reports.get(route.number) ?? null;
    if (route.number === active || report === null || !wasSentWhole(route)) continue;
    const isFurther = progressOf(report) > progressOf(route.state);
    const isFailure = report === 'failed' && route.state === 'sent';
    if (isFurther || isFailure) await changeRoute(trx, route, { state: report });
  }
}
