import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import { readInstructions, writeInstructions } from '../../model/sending/instructions.ts';
import { type MessageRoute, progressOf } from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import type { Schema } from '../schema.ts';
import { type RoutedMessage, changeRoute, changedMessage, findRouted, routesOf } from './chain.ts';
import { type ObjectEntry, objectHistory } from './object-history.ts';
import { MAX_ROUTES } from './restarting.ts';

/*
 * An Update or Delete of a message with routes is a message with routes too: it is sent on each route that sent
 * something, the newest first. Routes of the changed message that start later send the new content, or do not start.
 */

/** The most recent updates whose content a later route uses. */
const MAX_REVISIONS = 10;
const MAX_CHANGES = 50;

/** The updates and the deletion requested since the message was accepted. */
export interface Revision {
  isDeleted: boolean;
  /** The updates, newest first. */
  revisedBy: readonly Id[];
}

const UNCHANGED: Revision = { isDeleted: false, revisedBy: [] };

/** The changes to a message, found by the integration and recipient of each route that has started. */
export async function revisionOf(
  trx: Kysely<Schema>,
  { applicationId, id, objectId }: Pick<RoutedMessage, 'applicationId' | 'id' | 'objectId'>,
  routes: readonly MessageRoute[],
): Promise<Revision> {
  if (objectId === null) return UNCHANGED;
  const found = new Map<Id, ObjectEntry>();
  for (const { integrationId, recipient, startedAt } of routes) {
    if (startedAt === null) continue;
    const place = { applicationId, integrationId, recipient };
    const range = { after: id, order: 'asc', limit: MAX_CHANGES } as const;
    for (const entry of await objectHistory(trx, place, objectId, range)) {
      // Later changes are those of another message with the same object id.
      if (entry.type === 'Create') break;
      if (isInEffect(entry)) found.set(entry.id, entry);
    }
  }
  const newest = [...found.values()].toSorted((a, b) => b.id - a.id);
  const updates = newest.filter(({ type }) => type === 'Update').map((one) => one.id);
  return {
    isDeleted: newest.some(({ type }) => type === 'Delete'),
    revisedBy: updates.slice(0, MAX_REVISIONS),
  };
}

/** Whether the change was not canceled, and does not wait for its time. */
const isInEffect = ({ state, starts }: ObjectEntry): boolean =>
  state !== 'canceled' && state !== 'suppressed' && (state !== 'scheduled' || starts > 0);

/** The instructions of a route that starts after these updates. */
export function revised(instructions: string | null, revisedBy: readonly Id[]): string | null {
  if (revisedBy.length === 0) return instructions;
  const { template, ...others } = readInstructions(instructions);
  // An update replaces a template of our own, which is content. A vendor's template must stay: the vendor accepts nothing else.
  const kept = template?.source === 'vendor' ? { template } : {};
  return writeInstructions({ ...others, ...kept, revisedBy });
}

/**
 * Adds the routes that the changed message has started since the change was accepted, unless they sent the new content.
 * The list of routes is extended too.
 */
export async function followRoutes(
  engine: Engine,
  trx: Kysely<Schema>,
  change: RoutedMessage,
  routes: MessageRoute[],
): Promise<void> {
  const { applicationId, id } = change;
  const changed = changedMessage(change);
  const original =
    changed === undefined ? undefined : await findRouted(engine, trx, applicationId, changed);
  const [first] = routes;
  if (!original || !first) return;
  const places = new Set(routes.map(placeOf));
  const position = Math.max(...routes.map((route) => route.position)) + 1;
  const added: MessageRoute[] = [];
  for (const route of await routesOf(engine, trx, applicationId, original.id)) {
    const { revisedBy = [] } = readInstructions(route.instructions);
    const isActive = route.number === original.route;
    const ids = isActive ? original.channelIds : route.channelIds;
    const isQueued = isActive && original.settledAt === 0;
    if (places.has(placeOf(route)) || revisedBy.includes(id) || !(isQueued || ids !== null)) {
      continue;
    }
    const { via, integrationId, recipient, consentKey } = route;
    const number = routes.length + added.length;
    const place = { via, integrationId, recipient, consentKey };
    added.push({ ...first, ...NOT_TRIED, ...place, number, position: position + added.length });
  }
  if (added.length === 0 || routes.length + added.length > MAX_ROUTES) return;
  await trx.insertInto('routes').values(added).execute();
  routes.push(...added);
}

const placeOf = ({ integrationId, recipient }: MessageRoute) => `${integrationId} ${recipient}`;

const NOT_TRIED = {
  state: 'pending',
  startedAt: null,
  deadline: null,
  failoverAt: null,
  dueAt: null,
  endedAt: null,
  closedAt: null,
  firstStart: 0,
  partsSent: 0,
  channelIds: null,
  attempts: 0,
  because: null,
  detail: null,
  maybeSent: 0,
} as const;

/** The route that determines the state of a change: one that failed, or else the last that was sent. */
export function decisiveRoute(routes: readonly MessageRoute[]): MessageRoute | undefined {
  const failed = routes.find(({ state }) => state === 'failed' || state === 'expired');
  return failed ?? routes.findLast(({ state }) => progressOf(state) > 0);
}

/** Drops the routes that a deleted message has not started, and makes it due for a check. */
export async function dropRemaining(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  id: Id,
  now: Millis,
): Promise<void> {
  const message = await findRouted(engine, trx, applicationId, id, true);
  if (!message) return;
  for (const route of await routesOf(engine, trx, applicationId, id)) {
    if (route.state === 'pending') await changeRoute(trx, route, { state: 'canceled' });
    else if (route.number === message.route && route.dueAt !== null) {
      await changeRoute(trx, route, { dueAt: now });
    }
  }
}
