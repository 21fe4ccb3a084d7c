import type { Id } from '../model/id.ts';
import type { NewMessage } from '../model/message.ts';
import type { Problem } from '../model/problem.ts';
import { readInstructions } from '../model/sending/instructions.ts';
import { type MessageRoute, type NewRoute, startOfRoute } from '../model/sending/message-route.ts';
import type { ChosenTemplate, TemplateRequest } from '../model/templates/template.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import { consentOf, recipientSuppressed } from './consent.ts';
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
export interface Way extends PlacedRoute {
  message: NewMessage;
}

/** Why a route may not be used, with the error of a request that has no other. */
export type Obstacle = { because: 'suppressed' | 'window_closed'; problem: Problem } | undefined;

/** Whether the person does not accept the message this way, or the vendor no free text now. */
export async function obstacleOf(
  store: Store,
  applicationId: Id,
  { candidate, draft, message }: Way,
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

/** The message with all its routes. Those before `first` are skipped, for these reasons. */
export function routedMessage(
  ways: readonly Way[],
  first: number,
  obstacles: readonly Obstacle[],
  { dueAt = null, reason = null }: Pick<NewMessage, 'dueAt' | 'reason'>,
): NewMessage | undefined {
  const start = ways[first]?.message;
  if (!start) return undefined;
  const { createdAt } = start;
  const routes = ways.map((way, number): NewRoute => {
    const { via, until, afterMs, position, poolId, failoverMs, message } = way;
    const { integrationId, recipient, consentKey = null, instructions = null } = message;
    const place = { integrationId, recipient, consentKey, instructions };
    const placed = { number, position, via, ...place, poolId, failoverMs };
    const common = { ...placed, until, afterMs, because: null, ...NOT_STARTED };
    if (number < first) {
      return { ...common, state: 'skipped', because: obstacles[number]?.because ?? null };
    }
    if (number > first) return { ...common, state: 'pending' };
    const isQueued = dueAt === null;
    return { ...common, state: 'active', ...(isQueued && startOfRoute(way, createdAt)) };
  });
  return { ...start, dueAt, reason, route: first, routes };
}

const NOT_STARTED = { startedAt: null, deadline: null, failoverAt: null, dueAt: null } as const;

/** The request that would give a message these routes, for a message that is changed. */
export function requestsOf(routes: readonly MessageRoute[]): RouteRequest[] {
  // The members of a pool were one route.
  const own = routes.filter((one, i) => one.position !== routes[i - 1]?.position);
  return own.map(({ via, integrationId, recipient, afterMs, until, instructions }) => {
    const { options, template } = readInstructions(instructions);
    return {
      via: via.startsWith('pool:') ? via : integrationId,
      to: recipient,
      after: afterMs === null ? undefined : `PT${afterMs / 1000}S`,
      until: until ?? undefined,
      options,
      template: template && templateRequest(template),
    };
  });
}

const templateRequest = ({ name, language, parameters }: ChosenTemplate): TemplateRequest => ({
  name,
  language,
  ...(parameters && { parameters }),
});
