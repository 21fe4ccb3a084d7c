import type { Kysely } from 'kysely';

import { rerouted } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { Message } from '../../model/message.ts';
import { readInstructions } from '../../model/sending/instructions.ts';
import { type MessageRoute, progressOf } from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { EVENT_COLUMNS, emit } from '../feed/emit.ts';
import { appendEvents } from '../feed/events.ts';
import { recentFirst } from '../messages/recent-first.ts';
import type { RouteFields } from '../messages/transitions.ts';
import { moveMessages } from '../messages/transitions.ts';
import type { Schema } from '../schema.ts';

/* Changes to a message with several routes, and to its routes. Locks: the message, then its routes. */

const COLUMNS = [
  ...EVENT_COLUMNS,
  'state',
  'settledAt',
  'category',
  'consentKey',
  'createdAt',
  'dueAt',
  'expiresAt',
  'starts',
  'attempts',
  'partsSent',
] as const satisfies (keyof Message)[];

/** A message with several routes. */
export type RoutedMessage = Pick<Message, (typeof COLUMNS)[number]> & { route: number };

/** The message, if it exists and has several routes; locked on request. */
export async function findRouted(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  id: Id,
  isLocked = false,
): Promise<RoutedMessage | undefined> {
  const found = await recentFirst(engine, (where) => {
    const query = trx
      .selectFrom('messages')
      .select([...COLUMNS])
      .where((eb) => eb.and({ applicationId, id }))
      .where(where);
    const isShared = isLocked && engine.name === 'postgres';
    return (isShared ? query.forUpdate() : query).executeTakeFirst();
  });
  return found && found.route !== null ? { ...found, route: found.route } : undefined;
}

/** The routes of a message, in order; locked in a transaction. */
export function routesOf(
  { name }: Pick<Engine, 'name'>,
  db: Kysely<Schema>,
  applicationId: Id,
  messageId: Id,
): Promise<MessageRoute[]> {
  const query = db
    .selectFrom('routes')
    .selectAll()
    .where((eb) => eb.and({ applicationId, messageId }))
    .orderBy('number');
  return (name === 'postgres' && db.isTransaction ? query.forUpdate() : query).execute();
}

/** The message that this one changes; undefined unless that one has routes. */
export const changedMessage = ({
  instructions,
}: Pick<RoutedMessage, 'instructions'>): Id | undefined => readInstructions(instructions).changes;

export type RouteChange = Partial<Omit<MessageRoute, 'applicationId' | 'messageId' | 'number'>>;

/** Changes a route, in the store and in the list. */
export async function changeRoute(
  trx: Kysely<Schema>,
  route: MessageRoute,
  change: RouteChange,
): Promise<void> {
  const { applicationId, messageId, number } = route;
  Object.assign(route, change);
  await trx
    .updateTable('routes')
    .set(change)
    .where((eb) => eb.and({ applicationId, messageId, number }))
    .execute();
}

/** Ends the chain: routes that were not tried are unused. */
export async function closeChain(
  trx: Kysely<Schema>,
  { applicationId, id }: Pick<Message, 'applicationId' | 'id'>,
  routes: readonly MessageRoute[],
  now: Millis,
  untried: 'unused' | 'canceled' = 'unused',
): Promise<void> {
  for (const route of routes) {
    if (route.state === 'pending') await changeRoute(trx, route, { state: untried });
  }
  await trx
    .updateTable('routes')
    .set({ dueAt: null, closedAt: now })
    .where((eb) => eb.and({ applicationId, messageId: id }))
    .execute();
}

/** The fields that the route keeps when the message leaves it. */
export const leftBehind = (
  { partsSent, channelIds, attempts }: RoutedMessage,
  now: Millis,
): RouteChange => ({ partsSent, channelIds, attempts, endedAt: now, dueAt: null });

/** The fields that the message takes from a route. */
export const fieldsOf = (route: MessageRoute): RouteFields => ({
  route: route.number,
  integrationId: route.integrationId,
  recipient: route.recipient,
  consentKey: route.consentKey,
  instructions: route.instructions,
  partsSent: route.partsSent,
  channelIds: route.channelIds,
  attempts: route.attempts,
});

/**
 * Settles the message with the state of a route that it had left, and ends the chain. `fault` is the reason why the
 * message got no further.
 */
export async function adopt(
  engine: Engine,
  trx: Kysely<Schema>,
  message: RoutedMessage,
  routes: readonly MessageRoute[],
  { number, state }: { number: number; state: 'sent' | 'delivered' | 'read' },
  now: Millis,
  fault: Pick<Message, 'reason' | 'detail'> = { reason: null, detail: null },
): Promise<void> {
  const from = routes[message.route];
  const to = routes[number];
  if (!to) return;
  const wasSent = progressOf(message.state) > 0 || message.partsSent > 0;
  if (from && from !== to) {
    const isOpen = message.state === 'queued' || message.state === 'scheduled';
    const isActive = from.state === 'active';
    const ended = isActive && isOpen ? 'canceled' : isActive ? routeState(message) : from.state;
    await changeRoute(trx, from, { ...leftBehind(message, now), state: ended });
  }
  const settledAt = message.settledAt > 0 ? message.settledAt : now;
  const { applicationId, id } = message;
  const source = { applicationId, ids: [id], settledAt: message.settledAt };
  const moved = await moveMessages(
    engine,
    trx,
    { ...source, states: [message.state] },
    {
      ...fieldsOf(to),
      ...fault,
      state,
      settledAt,
      updatedAt: now,
      deliveredAt: state === 'delivered' ? now : null,
    },
  );
  await changeRoute(trx, to, { state });
  await closeChain(trx, message, routes, now);
  const isDuplicate = wasSent && from !== to && changedMessage(message) === undefined;
  await emit(
    trx,
    isDuplicate ? moved.map((one) => ({ ...one, duplicate: true })) : moved,
    state,
    now,
  );
}

/** Whether an attempt of this route may have sent something without a confirmation. */
export async function wasUncertain(
  trx: Kysely<Schema>,
  { applicationId, id }: Pick<Message, 'applicationId' | 'id'>,
  { firstStart }: Pick<MessageRoute, 'firstStart'>,
): Promise<boolean> {
  const found = await trx
    .selectFrom('attempts')
    .select('number')
    .where((eb) => eb.and({ applicationId, messageId: id, outcome: 'uncertain' }))
    .where('number', '>', firstStart)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The state of a route whose message has this state. */
export function routeState({ state }: Pick<Message, 'state'>): MessageRoute['state'] {
  return state === 'queued' || state === 'sending' || state === 'scheduled' ? 'active' : state;
}

/** Moves a message that is in no lane to another route; it joins the lane when it is released. */
export async function moveToRoute(
  engine: Engine,
  trx: Kysely<Schema>,
  message: RoutedMessage,
  from: MessageRoute,
  to: MessageRoute,
  now: Millis,
  isReported = true,
): Promise<RoutedMessage> {
  const { applicationId, id, settledAt } = message;
  const source = { applicationId, ids: [id], settledAt, states: [message.state] };
  const cleared = { reason: null, detail: null, deliveredAt: null };
  const change = { ...fieldsOf(to), ...cleared, state: message.state, settledAt, updatedAt: now };
  await moveMessages(engine, trx, source, change);
  if (isReported) await appendEvents(trx, [rerouted(message, from, to, now)]);
  return { ...message, ...fieldsOf(to), ...cleared, route: to.number };
}

/** Deletes the routes of messages that no longer exist. */
export async function removeRoutes(
  trx: Kysely<Schema>,
  applicationId: Id,
  messageIds: readonly Id[],
): Promise<void> {
  if (messageIds.length === 0) return;
  await trx
    .deleteFrom('routes')
    .where('applicationId', '=', applicationId)
    .where('messageId', 'in', messageIds)
    .execute();
}

/** Whether the integration of the route still exists. */
export async function hasIntegration(
  trx: Kysely<Schema>,
  { applicationId, integrationId: id }: MessageRoute,
): Promise<boolean> {
  const found = await trx
    .selectFrom('integrations')
    .select('id')
    .where((eb) => eb.and({ applicationId, id }))
    .executeTakeFirst();
  return found !== undefined;
}
