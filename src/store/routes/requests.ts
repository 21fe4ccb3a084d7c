import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import {
  type MessageRoute,
  type NewRoute,
  furthestOther,
  startOfRoute,
} from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { emit } from '../feed/emit.ts';
import { moveMessages } from '../messages/transitions.ts';
import type { Schema } from '../schema.ts';
import {
  type RoutedMessage,
  adopt,
  changeRoute,
  closeChain,
  leftBehind,
  removeRoutes,
  routesOf,
} from './chain.ts';
import { reportsOf } from './part-reports.ts';

/* Requests about messages with routes: cancel, resend, replace routes. */

/**
 * Cancels a message: it is not sent, or if a route sent it before, it keeps the state of that route. A message that is
 * being sent or was sent loses its remaining routes. The message is locked.
 */
export async function cancelRouted(
  engine: Engine,
  trx: Kysely<Schema>,
  message: RoutedMessage,
  now: Millis,
): Promise<'canceled' | 'dropped' | 'unchanged'> {
  const { applicationId, id, state, settledAt } = message;
  const routes = await routesOf(engine, trx, applicationId, id);
  if (state !== 'scheduled' && state !== 'queued' && state !== 'uncertain') {
    const pending = routes.filter((route) => route.state === 'pending');
    for (const route of pending) await changeRoute(trx, route, { state: 'canceled' });
    return pending.length > 0 ? 'dropped' : 'unchanged';
  }
  const { reports } = await reportsOf(trx, message, routes);
  const furthest = furthestOther(message.route, routes, reports);
  await dropPending(trx, routes);
  if (furthest) {
    await adopt(engine, trx, message, routes, furthest, now);
    return 'dropped';
  }
  const active = routes[message.route];
  if (active) await changeRoute(trx, active, { ...leftBehind(message, now), state: 'canceled' });
  const from = { applicationId, ids: [id], settledAt, states: [state] };
  const at = settledAt > 0 ? settledAt : now;
  const to = { state: 'canceled', settledAt: at, updatedAt: now } as const;
  const canceled = await moveMessages(engine, trx, from, to);
  await closeChain(trx, message, routes, now);
  await emit(trx, canceled, 'canceled', now);
  return 'canceled';
}

async function dropPending(trx: Kysely<Schema>, routes: readonly MessageRoute[]): Promise<void> {
  for (const route of routes) {
    if (route.state === 'pending') await changeRoute(trx, route, { state: 'canceled' });
  }
}

/** Starts the active route of a resent message again. Routes after it that were not tried may follow. */
export async function reopenChain(
  engine: Engine,
  trx: Kysely<Schema>,
  { applicationId, id, route: number }: { applicationId: Id; id: Id; route: number },
  now: Millis,
): Promise<void> {
  const routes = await routesOf(engine, trx, applicationId, id);
  for (const route of routes) {
    const isUntried = route.number > number && route.startedAt === null;
    const cleared = { endedAt: null, closedAt: null, because: null, detail: null };
    if (isUntried) await changeRoute(trx, route, { state: 'pending', ...cleared });
    else if (route.number !== number) await changeRoute(trx, route, { closedAt: null });
    else
      await changeRoute(trx, route, { state: 'active', ...cleared, ...startOfRoute(route, now) });
  }
}

/** Ends the chains of messages that were settled all at once, for this reason. */
export async function closeChains(
  engine: Engine,
  trx: Kysely<Schema>,
  messages: readonly { applicationId: Id; id: Id; route: number | null }[],
  { state, because }: Pick<MessageRoute, 'state' | 'because'>,
  now: Millis,
): Promise<void> {
  for (const { applicationId, id, route } of messages) {
    if (route === null) continue;
    const routes = await routesOf(engine, trx, applicationId, id);
    const active = routes[route];
    if (active) await changeRoute(trx, active, { state, because, endedAt: now });
    await closeChain(trx, { applicationId, id }, routes, now, 'canceled');
  }
}

/** Makes the message due for a check: a report on one of its routes arrived. */
export async function nudge(
  trx: Kysely<Schema>,
  { applicationId, id, route: number }: { applicationId: Id; id: Id; route: number },
  now: Millis,
): Promise<void> {
  await trx
    .updateTable('routes')
    .set({ dueAt: now })
    .where((eb) => eb.and({ applicationId, messageId: id, number }))
    .execute();
}

/** Replaces the routes of a scheduled message, none of which has started. */
export async function replaceRoutes(
  trx: Kysely<Schema>,
  { applicationId, id: messageId }: { applicationId: Id; id: Id },
  routes: readonly NewRoute[],
): Promise<void> {
  await removeRoutes(trx, applicationId, [messageId]);
  if (routes.length === 0) return;
  const rows = routes.map((route) => ({ ...UNTRIED, ...route, applicationId, messageId }));
  await trx.insertInto('routes').values(rows).execute();
}

const UNTRIED = {
  endedAt: null,
  closedAt: null,
  firstStart: 0,
  partsSent: 0,
  channelIds: null,
  attempts: 0,
  detail: null,
  maybeSent: 0,
} as const;
