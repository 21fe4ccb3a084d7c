import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import { readConsentKey } from '../../model/sending/consent.ts';
import { FAILOVER, type MessageRoute, mayFailOver } from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { IN_LANE, OPEN } from '../messages/transitions.ts';
import { assignMember } from '../pools/pools.ts';
import type { Schema } from '../schema.ts';
import { type RoutedMessage, hasIntegration, findRouted, routesOf, wasUncertain } from './chain.ts';

/*
 * Messages of a pool to one person keep their order through a failover: only the first in the lane starts one, and it
 * takes those behind it along.
 */

/** Messages that change the member together; the others of a very long lane follow. */
const MAX_TOGETHER = 500;

export type Lane = Pick<RoutedMessage, 'applicationId' | 'integrationId' | 'recipient'>;

export const isSameLane = (a: Lane, b: Lane): boolean =>
  a.applicationId === b.applicationId &&
  a.integrationId === b.integrationId &&
  a.recipient === b.recipient;

interface PoolMove {
  message: RoutedMessage;
  active: MessageRoute;
  /** The integration of the next member. */
  next: Id;
}

/**
 * The messages of the pool in the lane of this one, in order, or `behind` if another goes first. Their lane is locked.
 */
export async function queuedTogether(
  trx: Kysely<Schema>,
  message: RoutedMessage,
  { poolId }: Pick<MessageRoute, 'poolId'>,
): Promise<Id[] | 'behind'> {
  const { applicationId, integrationId, recipient } = message;
  const place = { applicationId, integrationId, recipient };
  const lane = await trx
    .selectFrom('lanes')
    .select(['messageId', 'dueAt'])
    .where((eb) => eb.and(place))
    .executeTakeFirst();
  if (lane && lane.dueAt === null && lane.messageId !== message.id) return 'behind';
  const queued = await trx
    .selectFrom('messages as m')
    .innerJoin('routes as r', (join) =>
      join
        .onRef('r.applicationId', '=', 'm.applicationId')
        .onRef('r.messageId', '=', 'm.id')
        .onRef('r.number', '=', 'm.route'),
    )
    .select('m.id')
    .where('m.applicationId', '=', applicationId)
    .where('m.integrationId', '=', integrationId)
    .where('m.recipient', '=', recipient)
    .where('m.state', '=', 'queued')
    .where(OPEN)
    .where(IN_LANE)
    .where('r.poolId', '=', poolId)
    .orderBy('m.sequence')
    .limit(MAX_TOGETHER)
    .execute();
  return queued[0]?.id === message.id ? queued.map(({ id }) => id) : 'behind';
}

/** The messages, among these, that fail over together. */
export async function failingOver(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  ids: readonly Id[],
): Promise<PoolMove[]> {
  const moving: PoolMove[] = [];
  for (const id of ids) {
    const one = await movable(engine, trx, applicationId, id);
    // It stays, or moves to another member, so those behind it wait.
    if (!one || one.next !== (moving[0] ?? one).next) break;
    moving.push(one);
  }
  return moving;
}

async function movable(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  id: Id,
): Promise<PoolMove | undefined> {
  const message = await findRouted(engine, trx, applicationId, id, true);
  if (!message) return undefined;
  const routes = await routesOf(engine, trx, applicationId, id);
  const active = routes[message.route];
  const next = active && nextMember(active, routes)?.integrationId;
  if (!active || next === undefined) return undefined;
  const mayBeSent = await wasUncertain(trx, message, active);
  return mayFailOver(FAILOVER, { ...message, mayBeSent }) ? { message, active, next } : undefined;
}

const nextMember = (
  active: MessageRoute,
  routes: readonly MessageRoute[],
): MessageRoute | undefined => routes.find((one) => follows(one, active));

const follows = (one: MessageRoute, { position, number }: MessageRoute): boolean =>
  one.position === position && one.number > number && one.state === 'pending';

/** The lane of the next member; the message's own lane if the other members were deleted. */
export async function nextLane(
  engine: Engine,
  trx: Kysely<Schema>,
  message: RoutedMessage,
  active: MessageRoute,
): Promise<Lane> {
  const { applicationId, id } = message;
  for (const one of await routesOf(engine, trx, applicationId, id)) {
    if (follows(one, active) && (await hasIntegration(trx, one))) return one;
  }
  return message;
}

/** Assigns the next member to the person, for new messages. */
export async function assignNext(
  engine: Engine,
  trx: Kysely<Schema>,
  { applicationId, id }: RoutedMessage,
  active: MessageRoute,
  now: Millis,
): Promise<void> {
  const next = nextMember(active, await routesOf(engine, trx, applicationId, id));
  const { poolId, consentKey } = active;
  if (!next || poolId === null || consentKey === null) return;
  const recipient = readConsentKey(consentKey).address;
  const place = { applicationId, poolId, recipient };
  await assignMember(trx, engine.name, place, next.integrationId, now);
}
