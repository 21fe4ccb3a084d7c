import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import { SCHEDULED } from '../../model/message.ts';
import { readConsentKey } from '../../model/sending/consent.ts';
import {
  CHANGED,
  type MessageRoute,
  type RouteReport,
  furthestOther,
  isBetweenRoutes,
  mayFailOver,
  meets,
  progressOf,
  startOfRoute,
} from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { emit } from '../feed/emit.ts';
import { type RouteFields, moveMessages } from '../messages/transitions.ts';
import { assignMember } from '../pools/pools.ts';
import type { Schema } from '../schema.ts';
import {
  type RoutedMessage,
  adopt,
  changeRoute,
  changedMessage,
  closeChain,
  hasIntegration,
  fieldsOf,
  findRouted,
  leftBehind,
  moveToRoute,
  routesOf,
  wasUncertain,
} from './chain.ts';
import { decisiveRoute, followRoutes, revised, revisionOf } from './changes.ts';
import { reportsOf } from './part-reports.ts';

/** A due message: one that may join its lane, or one whose chain has ended. */
export type Started =
  | { message: RoutedMessage; start(): Promise<void> }
  | { message: RoutedMessage; ended: EndedState };

/** `settled`: another route had sent it, and was counted then. */
export type EndedState = 'settled' | 'sent' | 'failed' | 'expired' | 'suppressed';

/**
 * Starts the next route of a due scheduled message: the first one, or the one after a route that ended. A report that
 * was recorded before prevents that. The message is locked.
 */
export async function startRoute(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  id: Id,
  now: Millis,
): Promise<Started | undefined> {
  let message = await findRouted(engine, trx, applicationId, id);
  if (!message) return undefined;
  const routes = await routesOf(engine, trx, applicationId, id);
  const { reports } = await reportsOf(trx, message, routes);
  // A route that has ended is like any other that the message has left.
  const ongoing = isBetweenRoutes(message.reason) ? -1 : message.route;
  const other = furthestOther(ongoing, routes, reports);
  if (other && meets(other.state, routes[other.number]?.until ?? null)) {
    await adopt(engine, trx, message, routes, other, now);
    return { message, ended: 'settled' };
  }
  const current = routes[message.route];
  if (current && !isBetweenRoutes(message.reason) && !(await hasIntegration(trx, current))) {
    message = { ...message, reason: 'no_integration', detail: null };
  }
  if (isBetweenRoutes(message.reason)) {
    await followRoutes(engine, trx, message, routes);
    const next = await leave(engine, trx, message, routes, now);
    if (!next) return { message, ended: await finish(engine, trx, message, routes, reports, now) };
    message = next;
  }
  const active = routes[message.route];
  const { starts, reason } = message;
  return {
    message,
    async start() {
      if (!active) return;
      const before = routes.find((one) => one !== active && one.position === active.position);
      // Quiet hours do not count.
      const kept = reason === 'quiet_hours' ? null : (before?.deadline ?? null);
      const times = startOfRoute(active, now, kept);
      const begins = { state: 'active', firstStart: starts, ...times } as const;
      await changeRoute(trx, active, begins);
    },
  };
}

/** Records why the active route ended and moves the message to the next one, if there is one. */
async function leave(
  engine: Engine,
  trx: Kysely<Schema>,
  message: RoutedMessage,
  routes: readonly MessageRoute[],
  now: Millis,
): Promise<RoutedMessage | undefined> {
  const { reason, detail, expiresAt, route } = message;
  const from = routes[route];
  if (!from) return undefined;
  const mayBeSent = await wasUncertain(trx, message, from);
  await changeRoute(trx, from, {
    ...leftBehind(message, now),
    state: from.state === 'active' ? endOf(reason) : from.state,
    because: reason === CHANGED ? null : reason,
    detail,
    maybeSent: mayBeSent ? 1 : 0,
  });
  if (reason === 'expired' || (expiresAt !== null && expiresAt <= now)) return undefined;
  const isChange = changedMessage(message) !== undefined;
  const { isDeleted, revisedBy } = await revisionOf(trx, message, isChange ? [] : routes);
  for (const next of routes) {
    if (isDeleted && next.state === 'pending') await changeRoute(trx, next, { state: 'canceled' });
    if (next.state !== 'pending' || next.number < route) continue;
    const isSamePool = next.position === from.position;
    if (isSamePool && !mayFailOver(reason, { partsSent: message.partsSent, mayBeSent })) {
      await changeRoute(trx, next, { state: 'unused' });
      continue;
    }
    if (!(await hasIntegration(trx, next))) {
      await changeRoute(trx, next, { state: 'skipped', because: 'no_integration', endedAt: now });
      continue;
    }
    const { poolId, integrationId, consentKey } = next;
    if (isSamePool && poolId !== null && consentKey !== null) {
      const recipient = readConsentKey(consentKey).address;
      const place = { applicationId: message.applicationId, poolId, recipient };
      await assignMember(trx, engine.name, place, integrationId, now);
    }
    const instructions = revised(next.instructions, revisedBy);
    if (instructions !== next.instructions) await changeRoute(trx, next, { instructions });
    return moveToRoute(engine, trx, message, from, next, now, reason !== CHANGED);
  }
  return undefined;
}

/** The state of a route that ended for this reason. */
function endOf(reason: string | null): MessageRoute['state'] {
  if (reason === CHANGED) return 'sent';
  return reason === 'suppressed' || reason === 'expired' ? reason : 'failed';
}

/** Settles a message that no further route can send. Its state is that of the route that got furthest. */
async function finish(
  engine: Engine,
  trx: Kysely<Schema>,
  message: RoutedMessage,
  routes: readonly MessageRoute[],
  reports: ReadonlyMap<number, RouteReport>,
  now: Millis,
): Promise<EndedState> {
  const decisive = changedMessage(message) === undefined ? undefined : decisiveRoute(routes);
  if (decisive) return finishChange(engine, trx, message, routes, decisive, now);
  const last = routes[message.route];
  const cause = last?.because ?? message.reason ?? '';
  const detail = last?.detail ? `${cause}: ${last.detail}` : cause;
  const fault = { reason: 'routes_exhausted', detail };
  // All routes: none of them has the number -1.
  const furthest = furthestOther(-1, routes, reports);
  if (furthest && progressOf(furthest.state) > 0) {
    // Routes that a person or a Delete dropped were not needed.
    const isDropped = routes.some(({ state }) => state === 'canceled');
    await adopt(engine, trx, message, routes, furthest, now, isDropped ? undefined : fault);
    return 'settled';
  }
  const tried = routes.filter(({ state }) => state !== 'pending');
  const state =
    cause === 'expired'
      ? 'expired'
      : tried.every((route) => route.state === 'suppressed')
        ? 'suppressed'
        : 'failed';
  await settle(
    engine,
    trx,
    message,
    routes,
    state,
    state === 'failed' ? fault : { reason: state, detail: null },
    now,
  );
  return state;
}

/** Settles an Update or Delete, which was sent on each of its routes. */
async function finishChange(
  engine: Engine,
  trx: Kysely<Schema>,
  message: RoutedMessage,
  routes: readonly MessageRoute[],
  decisive: MessageRoute,
  now: Millis,
): Promise<EndedState> {
  const { state, number, because: reason, detail } = decisive;
  if (state !== 'failed' && state !== 'expired') {
    await adopt(engine, trx, message, routes, { number, state: 'sent' }, now);
    return 'sent';
  }
  await settle(engine, trx, message, routes, state, { reason, detail }, now, fieldsOf(decisive));
  return state;
}

/** Settles a scheduled message that was not sent, and ends its chain. */
async function settle(
  engine: Engine,
  trx: Kysely<Schema>,
  message: RoutedMessage,
  routes: readonly MessageRoute[],
  state: 'failed' | 'expired' | 'suppressed',
  fault: Pick<RoutedMessage, 'reason' | 'detail'>,
  now: Millis,
  fields: Partial<RouteFields> = {},
): Promise<void> {
  const { applicationId, id } = message;
  const from = { applicationId, ids: [id], settledAt: SCHEDULED, states: ['scheduled'] } as const;
  const to = { state, settledAt: now, updatedAt: now, ...fields, ...fault };
  const settled = await moveMessages(engine, trx, from, to);
  await closeChain(trx, message, routes, now);
  await emit(trx, settled, state, now);
}

/** Ends the chain of a scheduled message that quiet hours refuse; `settled` if an earlier route had sent it. */
export async function refuseRouted(
  engine: Engine,
  trx: Kysely<Schema>,
  message: RoutedMessage,
  now: Millis,
): Promise<'settled' | 'failed'> {
  const fault = { reason: 'quiet_hours', detail: null };
  const routes = await routesOf(engine, trx, message.applicationId, message.id);
  const { reports } = await reportsOf(trx, message, routes);
  const furthest = furthestOther(message.route, routes, reports);
  const active = routes[message.route];
  if (active) {
    const change = { state: 'failed', because: 'quiet_hours' } as const;
    await changeRoute(trx, active, { ...leftBehind(message, now), ...change });
  }
  if (furthest) {
    await adopt(engine, trx, message, routes, furthest, now, fault);
    return 'settled';
  }
  await settle(engine, trx, message, routes, 'failed', fault, now);
  return 'failed';
}
