import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Message } from '../../model/message.ts';
import { type MessageRoute, progressOf, startOfRoute } from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { recentFirst } from '../messages/recent-first.ts';
import type { RouteFields } from '../messages/transitions.ts';
import type { Schema } from '../schema.ts';
import { type RoutedMessage, changeRoute, leftBehind, routeState, routesOf } from './chain.ts';

/*
 * Resending a message from a chosen route. The route is added again at the end of the list, with those after it, so
 * that each row has one start, its own parts and its own idempotency key at the vendor.
 */

/** Routes of one message, including those that were added by resending it. */
export const MAX_ROUTES = 100;

/**
 * The routes to add for a message that is resent from this one on. Those after it that were sent, or may have been, are
 * not repeated. Undefined if the route was sent, or the list is full.
 */
export function restartedRoutes(
  routes: readonly MessageRoute[],
  chosen: number,
  { starts }: Pick<RoutedMessage, 'starts'>,
  now: Millis,
): [MessageRoute, ...MessageRoute[]] | undefined {
  const first = routes[chosen];
  const last = routes.at(-1);
  if (!first || !last || progressOf(first.state) > 0) return undefined;
  const added: MessageRoute[] = [];
  const seen = new Set<string>();
  for (const route of routes.slice(chosen)) {
    const key = `${route.integrationId} ${route.recipient}`;
    // A repeated route was added by an earlier resend.
    if (seen.has(key)) break;
    seen.add(key);
    if (route !== first && !isRepeatable(route)) continue;
    const number = routes.length + added.length;
    const position = last.position + 1 + route.position - first.position;
    added.push({ ...untriedRoute(route), number, position, state: 'pending' });
  }
  const [head, ...rest] = added;
  if (!head || routes.length + added.length > MAX_ROUTES) return undefined;
  const begins = { state: 'active', firstStart: starts, ...startOfRoute(head, now) } as const;
  return [{ ...head, ...begins }, ...rest];
}

const isRepeatable = ({ state, maybeSent }: MessageRoute): boolean =>
  progressOf(state) === 0 && state !== 'uncertain' && maybeSent === 0;

/** The route as it was before it started, without the parts that it sent. */
function untriedRoute(route: MessageRoute): MessageRoute {
  const kept = route.because === 'undelivered' ? AGAIN : {};
  return { ...route, ...UNTRIED, ...kept };
}

const AGAIN = { partsSent: 0, channelIds: null } as const;
const UNTRIED = {
  startedAt: null,
  deadline: null,
  failoverAt: null,
  dueAt: null,
  endedAt: null,
  closedAt: null,
  firstStart: 0,
  attempts: 0,
  because: null,
  detail: null,
  maybeSent: 0,
} as const;

/** Adds routes to a message that was moved to the first of them; `before` is the message until then. */
export async function addRoutes(
  engine: Engine,
  trx: Kysely<Schema>,
  before: RoutedMessage,
  added: readonly MessageRoute[],
  now: Millis,
): Promise<void> {
  const { applicationId, id: messageId } = before;
  for (const route of await routesOf(engine, trx, applicationId, messageId)) {
    const isLeft = route.number === before.route && route.endedAt === null;
    const state =
      route.state === 'pending'
        ? 'unused'
        : route.state === 'active'
          ? routeState(before)
          : route.state;
    const change = { state, dueAt: null, closedAt: null };
    await changeRoute(trx, route, { ...(isLeft && leftBehind(before, now)), ...change });
  }
  await trx
    .insertInto('routes')
    .values([...added])
    .execute();
}

/** The fields of a message that is resent with its current route, and the parts that did not arrive. */
export async function contentToResend(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  { id, route }: Pick<Message, 'id' | 'route'>,
): Promise<{ fields: Partial<RouteFields>; forgotten: string | null }> {
  const unchanged = { fields: {}, forgotten: null };
  const message = await recentFirst(engine, (where) =>
    trx
      .selectFrom('messages')
      .select(['reason', 'channelIds'])
      .where((eb) => eb.and({ applicationId, id }))
      .where(where)
      .executeTakeFirst(),
  );
  if (!message || message.channelIds === null) return unchanged;
  let { reason } = message;
  if (reason === 'routes_exhausted') {
    const current = await trx
      .selectFrom('routes')
      .select('because')
      .where((eb) => eb.and({ applicationId, messageId: id, number: route ?? 0 }))
      .executeTakeFirst();
    reason = current?.because ?? null;
  }
  if (reason !== 'undelivered') return unchanged;
  return { fields: AGAIN, forgotten: message.channelIds };
}
