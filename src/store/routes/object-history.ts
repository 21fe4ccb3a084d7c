import type { Kysely } from 'kysely';

import { indexKey } from '../../lib/text/index-key.ts';
import type { Id } from '../../model/id.ts';
import { MESSAGE_STATES, type Message, type MessageState } from '../../model/message.ts';
import type { Schema } from '../schema.ts';

/*
 * The messages that created and changed an object of the caller, by the place of each of their routes. A message with
 * routes has the place of its current one; `routes` has the places that it has left.
 */

/** An integration and a recipient. */
export interface ObjectPlace {
  applicationId: Id;
  integrationId: Id;
  recipient: string;
}

/** A message as one of its routes sent it. */
export type ObjectEntry = Pick<
  Message,
  'id' | 'type' | 'activity' | 'channelIds' | 'partsSent' | 'dueAt' | 'route' | 'starts'
> & { state: MessageState };

export interface ObjectRange {
  /** Only messages before or after this one. */
  before?: Id | undefined;
  after?: Id | undefined;
  order: 'asc' | 'desc';
  limit: number;
}

/** The messages to this place with this `object.id`, also those that went on to another route, in any of these states. */
export async function objectHistory(
  db: Kysely<Schema>,
  place: ObjectPlace,
  name: string,
  range: ObjectRange,
  states: readonly MessageState[] = MESSAGE_STATES,
): Promise<ObjectEntry[]> {
  const current = await currentEntries(db, place, name, range, states);
  const left = await leftEntries(db, place, name, range);
  const currentIds = new Set(current.map(({ id }) => id));
  const others = left.filter(({ id, state }) => !currentIds.has(id) && states.includes(state));
  if (others.length === 0) return current;
  const sign = range.order === 'asc' ? 1 : -1;
  return [...current, ...others].toSorted((a, b) => sign * (a.id - b.id)).slice(0, range.limit);
}

function currentEntries(
  db: Kysely<Schema>,
  { applicationId, integrationId, recipient }: ObjectPlace,
  name: string,
  { before, after, order, limit }: ObjectRange,
  states: readonly MessageState[],
): Promise<ObjectEntry[]> {
  let query = db
    .selectFrom('messages')
    .select([
      'id',
      'type',
      'state',
      'activity',
      'channelIds',
      'partsSent',
      'dueAt',
      'route',
      'starts',
    ])
    .where((eb) => eb.and({ applicationId, integrationId, recipient }))
    .where('objectId', '=', indexKey(name));
  if (states !== MESSAGE_STATES) query = query.where('state', 'in', states);
  if (before !== undefined) query = query.where('id', '<', before);
  if (after !== undefined) query = query.where('id', '>', after);
  return query.orderBy('id', order).limit(limit).execute();
}

/** Messages that were sent to this place before they went on to another route. */
async function leftEntries(
  db: Kysely<Schema>,
  { applicationId, integrationId, recipient }: ObjectPlace,
  name: string,
  { before, after, order, limit }: ObjectRange,
): Promise<ObjectEntry[]> {
  let query = db
    .selectFrom('routes')
    .select(['messageId', 'number', 'state', 'channelIds', 'partsSent'])
    .where((eb) => eb.and({ applicationId, integrationId, recipient }))
    .where('objectId', '=', indexKey(name))
    .where('endedAt', 'is not', null);
  if (before !== undefined) query = query.where('messageId', '<', before);
  if (after !== undefined) query = query.where('messageId', '>', after);
  const found = await query.orderBy('messageId', order).limit(limit).execute();
  // A message that was resent may have left the place twice: the last time counts.
  const rows = found.toSorted((a, b) => (a.messageId === b.messageId ? b.number - a.number : 0));
  if (rows.length === 0) return [];
  const messages = await db
    .selectFrom('messages')
    .select(['id', 'type', 'activity', 'dueAt', 'route', 'starts'])
    .where('applicationId', '=', applicationId)
    .where(
      'id',
      'in',
      rows.map(({ messageId }) => messageId),
    )
    .execute();
  const byId = new Map(messages.map((message) => [message.id, message]));
  return rows.flatMap(({ messageId, state, channelIds, partsSent }) => {
    const message = byId.get(messageId);
    byId.delete(messageId);
    return message ? [{ ...message, state: stateOf(state), channelIds, partsSent }] : [];
  });
}

export type Creation = Pick<Message, 'id' | 'state' | 'dueAt' | 'route'>;

/** The last message that created the object at this place, with its current state. */
export async function findCreation(
  db: Kysely<Schema>,
  { applicationId, integrationId, recipient }: ObjectPlace,
  name: string,
): Promise<Creation | undefined> {
  const objectId = indexKey(name);
  const creations = db
    .selectFrom('messages as m')
    .select(['m.id', 'm.state', 'm.dueAt', 'm.route'])
    .where('m.applicationId', '=', applicationId)
    .where('m.type', '=', 'Create');
  const current = await creations
    .where('m.integrationId', '=', integrationId)
    .where('m.recipient', '=', recipient)
    .where('m.objectId', '=', objectId)
    .orderBy('m.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const left = await creations
    .innerJoin('routes as r', (join) =>
      join.onRef('r.applicationId', '=', 'm.applicationId').onRef('r.messageId', '=', 'm.id'),
    )
    .where('r.applicationId', '=', applicationId)
    .where('r.integrationId', '=', integrationId)
    .where('r.recipient', '=', recipient)
    .where('r.objectId', '=', objectId)
    .orderBy('r.messageId', 'desc')
    .limit(1)
    .executeTakeFirst();
  return (left?.id ?? 0) > (current?.id ?? 0) ? left : current;
}

/** The state that a message would have with this route only. */
function stateOf(state: Schema['routes']['state']): MessageState {
  switch (state) {
    case 'sent':
    case 'delivered':
    case 'read':
    case 'uncertain':
    case 'suppressed':
    case 'expired':
    case 'canceled':
      return state;
    default:
      return 'failed';
  }
}
