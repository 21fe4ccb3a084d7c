import type { Id } from '../../model/id.ts';
import type { NewMessage } from '../../model/message.ts';
import { readInstructions } from '../../model/sending/instructions.ts';
import { type MessageRoute, type NewRoute, progressOf } from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Store } from '../../store/store.ts';
import type { Draft } from '../draft.ts';
import { membersOf, poolName, poolsOf, recipientFor } from '../pools/pool-members.ts';
import { NOT_STARTED, type PlacedRoute } from '../routed-message.ts';
import { type Candidate, recipientOf, route } from '../routing.ts';
import { canChange, refusal } from './change-check.ts';

/*
 * An Update or Delete of a message with routes is sent on each route that sent something, the newest first. Routes that
 * start later send the new content, or do not start (store/routes/changes.ts).
 */

/** An Update or Delete of a message with routes. */
export interface RoutedChange {
  /** The message that it changes. */
  messageId: Id;
  /** The routes of the change, in this order. */
  placedRoutes: PlacedRoute[];
  /** Routes that sent the message and cannot change it. */
  impossible: readonly MessageRoute[];
}

/** Undefined if the draft changes no message with routes; throws a Problem if nothing can be changed. */
export async function routedChange(
  store: Store,
  applicationId: Id,
  draft: Draft,
  integrations: readonly Candidate[],
): Promise<RoutedChange | undefined> {
  const { activity, pointer } = draft;
  if (activity.type === 'Create' || draft.routes) return undefined;
  const earlier = await creationOf(store, applicationId, draft, integrations);
  if (!earlier || earlier.route === null) return undefined;
  const { id: messageId, state } = earlier;
  const isInLane = state === 'queued' || state === 'sending';
  const routes = await store.routes.list(applicationId, messageId);
  const current = await store.messages.get(applicationId, messageId);
  const sent = routes
    .filter((one) => {
      if (one.number !== current?.route)
        return one.channelIds !== null || progressOf(one.state) > 0;
      return isInLane || current.channelIds !== null || progressOf(current.state) > 0;
    })
    .toReversed();
  if (sent.length === 0) {
    const detail =
      state === 'scheduled'
        ? `the message with this object id is scheduled: change or cancel message ${messageId} instead`
        : `the message with this object id is ${state}`;
    throw refusal('unknown_object', detail, `${pointer}/object/id`);
  }
  const candidateOf = ({ integrationId }: MessageRoute) =>
    integrations.find(({ id, state: own }) => id === integrationId && own === 'enable');
  const isPossible = (one: MessageRoute) => canChange(candidateOf(one)?.channel, activity.type);
  const possible = sent.filter(isPossible);
  if (possible.length === 0) {
    const what = activity.type === 'Update' ? 'change' : 'delete';
    const detail = `none of the channels that sent message ${messageId} can ${what} it`;
    throw refusal('unsupported', detail, `${pointer}/type`);
  }
  const placedRoutes = possible.flatMap((one, position): PlacedRoute[] => {
    const candidate = candidateOf(one);
    if (!candidate) return [];
    const { via, recipient } = one;
    const own = { ...activity, to: { ...activity.to, id: recipient } };
    const ending = { until: null, afterMs: null, poolId: null, failoverMs: null };
    return [{ via, candidate, recipient, draft: { ...draft, activity: own }, position, ...ending }];
  });
  return { messageId, placedRoutes, impossible: sent.filter((one) => !isPossible(one)) };
}

/** The message that the draft changes: the newest with the object id, in any member of the pool. */
async function creationOf(
  store: Store,
  applicationId: Id,
  draft: Draft,
  integrations: readonly Candidate[],
) {
  const { activity, pointer } = draft;
  const name = poolName(activity.generator.id);
  const pools = name === undefined ? undefined : await poolsOf(store, applicationId, draft);
  const candidates =
    name === undefined
      ? [route(activity, integrations, pointer)]
      : membersOf(name, pools?.get(name), integrations, `${pointer}/generator/id`);
  let newest: Awaited<ReturnType<Store['messages']['findByObject']>>;
  for (const candidate of candidates) {
    const written = String(activity.to.id);
    const id = name === undefined ? written : recipientFor(candidate, written);
    const recipient = recipientOf(candidate, { ...activity, to: { ...activity.to, id } });
    const place = { applicationId, integrationId: candidate.id, recipient };
    const found = await store.messages.findByObject(place, String(activity.object.id));
    if (found && found.id > (newest?.id ?? 0)) newest = found;
  }
  if (!newest && name !== undefined) {
    const detail = `no message to this recipient through the pool ${name} has this object id`;
    throw refusal('unknown_object', detail, `${pointer}/object/id`);
  }
  return newest;
}

/** The message with the routes that cannot change it, for its history. */
export function withImpossible(
  message: NewMessage,
  { impossible }: Pick<RoutedChange, 'impossible'>,
): NewMessage {
  const { routes = [], objectId } = message;
  const skipped = impossible.map((one, i): NewRoute => {
    const { via, integrationId, recipient, consentKey } = one;
    const place = { via, integrationId, recipient, consentKey, objectId, poolId: null };
    const at = { number: routes.length + i, position: routes.length + i };
    const ending = { until: null, afterMs: null, failoverMs: null, instructions: null };
    const state = { state: 'skipped', because: 'unsupported' } as const;
    return { ...NOT_STARTED, ...at, ...place, ...ending, ...state };
  });
  return { ...message, routes: [...routes, ...skipped] };
}

/** Drops the routes of deleted messages that have not started. A route that starts before sees the Delete itself. */
export async function dropDeleted(
  store: Store,
  messages: readonly NewMessage[],
  now: Millis,
): Promise<void> {
  for (const { applicationId, type, instructions = null } of messages) {
    if (type !== 'Delete' || instructions === null) continue;
    const { changes } = readInstructions(instructions);
    if (changes !== undefined) await store.routes.drop(applicationId, changes, now);
  }
}
