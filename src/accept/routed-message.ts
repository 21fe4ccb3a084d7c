import type { Id } from '../model/id.ts';
import type { Message, NewMessage } from '../model/message.ts';
import { Problem } from '../model/problem.ts';
import { readInstructions } from '../model/sending/instructions.ts';
import { type MessageRoute, type NewRoute, startOfRoute } from '../model/sending/message-route.ts';
import type { ChosenTemplate, TemplateRequest } from '../model/templates/template.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import { consentOf, recipientSuppressed } from './consent/consent.ts';
import type { RouteRequest } from './draft.ts';
import type { ResolvedRoute } from './routes.ts';
import { isFreeText, windowClosed, windowOf } from './window-check.ts';

/** A route of a draft, or a member of its pool. */
export interface PlacedRoute extends ResolvedRoute {
  position: number;
  poolId: Id | null;
  failoverMs: Millis | null;
}

/** A route with the message as it would be sent that way. */
export interface RouteMessage extends PlacedRoute {
  message: NewMessage;
}

/** Why a route may not be used, with the error for a request without another route. */
export type Obstacle = { because: 'suppressed' | 'window_closed'; problem: Problem } | undefined;

/** The person's objection to messages on this route, or the vendor's to free text now. */
async function obstacleOf(
  store: Store,
  applicationId: Id,
  { candidate, draft, message }: RouteMessage,
  { leavesNow, now }: { leavesNow: boolean; now: Millis },
): Promise<Obstacle> {
  const consent = await consentOf(store, applicationId, candidate, draft);
  if (consent?.because) {
    return { because: 'suppressed', problem: recipientSuppressed(draft.pointer) };
  }
  const instructions = readInstructions(message.instructions ?? null);
  if (!leavesNow || !candidate.channel?.window || !isFreeText(instructions)) return undefined;
  const window = await windowOf(store, applicationId, candidate, draft, now);
  if (window?.state !== 'closed') return undefined;
  return { because: 'window_closed', problem: windowClosed(draft.pointer) };
}

/** The first allowed route; if none is, the first route with its problem. */
export async function firstAllowed(
  store: Store,
  routeMessages: readonly RouteMessage[],
  context: { leavesNow: boolean; now: Millis },
): Promise<{ first: number; obstacles: Obstacle[]; refusal: Problem | undefined }> {
  const obstacles: Obstacle[] = [];
  for (const routeMessage of routeMessages) {
    obstacles.push(
      await obstacleOf(store, routeMessage.message.applicationId, routeMessage, context),
    );
  }
  const allowed = obstacles.indexOf(undefined);
  const refusal = allowed === -1 ? obstacles[0]?.problem : undefined;
  return { first: Math.max(allowed, 0), obstacles, refusal };
}

/** The message with all its routes. Those before `first` are skipped, for these reasons. */
export function routedMessage(
  routeMessages: readonly RouteMessage[],
  first: number,
  obstacles: readonly Obstacle[],
  { dueAt = null, reason = null }: Pick<NewMessage, 'dueAt' | 'reason'>,
): NewMessage | undefined {
  const start = routeMessages[first]?.message;
  if (!start) return undefined;
  const { createdAt } = start;
  const routes = routeMessages.map((routeMessage, number): NewRoute => {
    const { via, until, afterMs, position, poolId, failoverMs, message } = routeMessage;
    const { integrationId, recipient, consentKey = null, instructions = null, objectId } = message;
    const place = { integrationId, recipient, consentKey, instructions, objectId };
    const placed = { number, position, via, ...place, poolId, failoverMs };
    const common = { ...placed, until, afterMs, because: null, ...NOT_STARTED };
    if (number < first) {
      return { ...common, state: 'skipped', because: obstacles[number]?.because ?? null };
    }
    if (number > first) return { ...common, state: 'pending' };
    const isQueued = dueAt === null;
    return { ...common, state: 'active', ...(isQueued && startOfRoute(routeMessage, createdAt)) };
  });
  return { ...start, dueAt, reason, route: first, routes };
}

export const NOT_STARTED = {
  startedAt: null,
  deadline: null,
  failoverAt: null,
  dueAt: null,
} as const;

export const alreadyTried = (): Problem =>
  new Problem('message_not_scheduled', 'a route of the message was already tried');

/** The routes that a scheduled message keeps when it is changed. Throws a Problem if one was already tried. */
export async function keptRoutes(
  store: Store,
  { applicationId, id, route }: Message,
): Promise<RouteRequest[] | undefined> {
  if (route === null) return undefined;
  const routes = await store.routes.list(applicationId, id);
  if (routes.some(({ endedAt, state }) => endedAt !== null && state !== 'skipped')) {
    throw alreadyTried();
  }
  return requestsOf(routes);
}

/** The request that would give a message these routes. */
function requestsOf(routes: readonly MessageRoute[]): RouteRequest[] {
  // The request named a pool as one route.
  const requested = routes.filter((one, i) => one.position !== routes[i - 1]?.position);
  return requested.map(({ via, integrationId, recipient, afterMs, until, instructions }, i) => {
    const { options, template, contact } = readInstructions(instructions);
    // The first route has the contact of the message.
    const name = i === 0 ? undefined : `contact:${contact?.contactId}`;
    return {
      via: via.startsWith('pool:') ? via : integrationId,
      to: contact ? name : recipient,
      after: afterMs === null ? undefined : `PT${afterMs / 1000}S`,
      until: until ?? undefined,
      options,
      template: template && templateRequest(template),
    };
  });
}

/** The request that would choose this template. */
export const templateRequest = ({
  name,
  language,
  parameters,
}: ChosenTemplate): TemplateRequest => ({
  name,
  language,
  ...(parameters && { parameters }),
});
