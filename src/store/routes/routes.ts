import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import { SCHEDULED } from '../../model/message.ts';
import {
  type MessageRoute,
  type RouteReport,
  type Step,
  nextStep,
  progressOf,
  wasSentWhole,
} from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import { lockLanes, makeLanesDue } from '../delivery/lane-locks.ts';
import { moveMessages } from '../messages/transitions.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import {
  type RoutedMessage,
  adopt,
  changeRoute,
  closeChain,
  findRouted,
  leftBehind,
  removeRoutes,
  routesOf,
  wasUncertain,
} from './chain.ts';
import { reportsOf } from './part-reports.ts';

/** A message that was looked at because its route was due. */
export interface LookedAt {
  applicationId: Id;
  /** The integration whose lane the message left, if it was in one. */
  integrationId: Id | undefined;
  /** What followed; undefined if the message no longer exists, or another node was faster. */
  step: Step['step'] | undefined;
}

/**
 * The routes of messages that have several. A route is due at its deadline and when a report arrives. Each message is
 * looked at in a transaction of its own, which locks its lane, the message and its routes, in this order.
 */
export class Routes extends Repository {
  list(applicationId: Id, messageId: Id): Promise<MessageRoute[]> {
    return routesOf(this.engine, this.db, applicationId, messageId);
  }

  /** Looks at up to `limit` messages whose routes are due. Any number of nodes may do so at once. */
  async run(now: Millis, limit: number): Promise<LookedAt[]> {
    const due = await this.db
      .selectFrom('routes')
      .select(['applicationId', 'messageId'])
      .where('dueAt', 'is not', null)
      .where('dueAt', '<=', now)
      .orderBy('dueAt')
      .limit(limit)
      .execute();
    const seen: LookedAt[] = [];
    for (const { applicationId, messageId } of due) {
      seen.push(await this.#look(applicationId, messageId, now));
    }
    return seen;
  }

  async #look(applicationId: Id, messageId: Id, now: Millis): Promise<LookedAt> {
    for (;;) {
      const looked = await this.db
        .transaction()
        .execute((trx) => this.#lookOnce(trx, applicationId, messageId, now));
      // It changed its lane meanwhile.
      if (looked !== 'moved') return { applicationId, ...looked };
    }
  }

  async #lookOnce(
    trx: Kysely<Schema>,
    applicationId: Id,
    messageId: Id,
    now: Millis,
  ): Promise<Omit<LookedAt, 'applicationId'> | 'moved'> {
    const nothing = { integrationId: undefined, step: undefined };
    const before = await findRouted(this.engine, trx, applicationId, messageId);
    if (!before) {
      await removeRoutes(trx, applicationId, [messageId]);
      return nothing;
    }
    const isInLane = before.settledAt === 0;
    if (isInLane) await lockLanes(this.engine, trx, [before]);
    const message = await findRouted(this.engine, trx, applicationId, messageId, true);
    if (!message || !isSamePlace(message, before)) return 'moved';
    const routes = await routesOf(this.engine, trx, applicationId, messageId);
    const active = routes[message.route];
    if (!active || active.dueAt === null || active.dueAt > now) {
      await this.#clearOthers(trx, routes, message.route);
      return nothing;
    }
    const { reports, details } = await reportsOf(trx, message, routes);
    await recordReports(trx, routes, message.route, reports);
    const mayBeSent = active.poolId !== null && (await wasUncertain(trx, message, active));
    const step = nextStep({ ...message, mayBeSent }, routes, reports, now);
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
      dueAt: now,
      reason: because,
      detail,
    });
    const wasSent = because !== 'undelivered' && progressOf(state) > 0;
    const ended = wasSent && (state === 'sent' || state === 'delivered') ? state : 'failed';
    await changeRoute(trx, active, { dueAt: null, state: ended, because });
  }

  /**
   * Moves deadlines back with a clock that was set back. Nodes that share a database use its clock, and must not each
   * move them.
   */
  async moveBack(by: Millis, now: Millis): Promise<void> {
    if (this.engine.name !== 'sqlite') return;
    await this.db
      .updateTable('routes')
      .set(({ eb }) => ({
        dueAt: eb
          .case()
          .when('dueAt', '>', now + by)
          .then(eb('dueAt', '-', by))
          .else(now)
          .end(),
        deadline: eb('deadline', '-', by),
        failoverAt: eb('failoverAt', '-', by),
      }))
      .where('dueAt', '>', now)
      .execute();
  }

  /** Deletes up to `limit` routes whose chains ended before; returns how many. */
  async forget(before: Millis, limit: number): Promise<number> {
    const old = this.db
      .selectFrom('routes')
      .select(['applicationId', 'messageId', 'number'])
      .where('closedAt', 'is not', null)
      .where('closedAt', '<', before)
      .limit(limit);
    const { numDeletedRows } = await this.db
      .deleteFrom('routes')
      .where(({ eb, refTuple }) =>
        eb(
          refTuple('applicationId', 'messageId', 'number'),
          'in',
          old.$asTuple('applicationId', 'messageId', 'number'),
        ),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}

const isSamePlace = (a: RoutedMessage, b: RoutedMessage): boolean =>
  a.settledAt === b.settledAt && a.integrationId === b.integrationId && a.recipient === b.recipient;

/** Keeps what the channels report on routes that the message has left. */
async function recordReports(
  trx: Kysely<Schema>,
  routes: readonly MessageRoute[],
  active: number,
  reports: ReadonlyMap<number, RouteReport>,
): Promise<void> {
  for (const route of routes) {
    const report = reports.get(route.number) ?? null;
    if (route.number === active || report === null || !wasSentWhole(route)) continue;
    const isNews = progressOf(report) > progressOf(route.state);
    const isFailure = report === 'failed' && route.state === 'sent';
    if (isNews || isFailure) await changeRoute(trx, route, { state: report });
  }
}
