import type { Id } from '../id.ts';
import type { Millis } from '../timestamp.ts';

/** What a route waits for before the chain is done. A read message was also delivered, and a delivered one sent. */
export const CONDITIONS = ['sent', 'delivered', 'read'] as const;

export type Condition = (typeof CONDITIONS)[number];

/**
 * `pending`: not started; `active`: the message has the state; `skipped`: not allowed when its turn came; `unused`: the
 * chain ended before it. The others are the last known state of a route that ended.
 */
export const ROUTE_STATES = [
  'pending',
  'active',
  'sent',
  'delivered',
  'read',
  'failed',
  'uncertain',
  'suppressed',
  'expired',
  'canceled',
  'skipped',
  'unused',
] as const;

type RouteState = (typeof ROUTE_STATES)[number];

/** One of several ways to reach the recipient of a message. The message itself has the fields of the active one. */
export interface MessageRoute {
  applicationId: Id;
  messageId: Id;
  /** From 0, in the order in which they are tried. */
  number: number;
  /** The position of the request's route. The members of a pool have the same: one follows another that cannot send. */
  position: number;
  /** As the request names it: an integration, a channel or a pool. */
  via: string;
  integrationId: Id;
  poolId: Id | null;
  recipient: string;
  consentKey: string | null;
  instructions: string | null;
  /** `objectId` of the message: an Update or Delete finds the message by the integration and recipient of any route. */
  objectId: string | null;
  /** Null on the last route, like `afterMs`. */
  until: Condition | null;
  /** How long the condition may take, from the start of the route. */
  afterMs: Millis | null;
  /** How long a member of a pool may take to send, and until when. */
  failoverMs: Millis | null;
  failoverAt: Millis | null;
  state: RouteState;
  /** When it joined its lane. */
  startedAt: Millis | null;
  /** When the next route starts, unless the condition is met. */
  deadline: Millis | null;
  /** When to check the message again; set on the active route only. */
  dueAt: Millis | null;
  endedAt: Millis | null;
  /** When the chain ended, on all routes of the message; null while it continues. */
  closedAt: Millis | null;
  /** The starts of the message before this route. Attempts with larger numbers belong to it. */
  firstStart: number;
  /** Fields of the message while the route was active, kept once it is not. */
  partsSent: number;
  channelIds: string | null;
  attempts: number;
  /** Why it ended or was skipped: one of FAULTS. */
  because: string | null;
  detail: string | null;
  /** Whether an attempt may have sent something without a confirmation. */
  maybeSent: 0 | 1;
}

/** The fields of a route that a request gives. */
export type NewRoute = Pick<
  MessageRoute,
  | 'number'
  | 'position'
  | 'via'
  | 'integrationId'
  | 'poolId'
  | 'recipient'
  | 'consentKey'
  | 'instructions'
  | 'objectId'
  | 'until'
  | 'afterMs'
  | 'failoverMs'
  | 'failoverAt'
  | 'state'
  | 'startedAt'
  | 'deadline'
  | 'dueAt'
  | 'because'
>;

/** The reason of a message that is `scheduled` because the deadline of its route passed, not until a send time. */
const DEADLINE = 'deadline';

/** The reason of an Update or Delete that is `scheduled` because it was sent on one route, and the next one follows. */
export const CHANGED = 'changed';

/** The reason of a message that leaves a member of a pool, which could not send in time. */
export const FAILOVER = 'failover';

/** Reasons to try the next member of a pool. Any other reason would apply to that member too. */
const OF_MEMBER: ReadonlySet<string | null> = new Set([FAILOVER, 'gave_up', 'no_integration']);

/** Whether the next member of the pool may send. A message that may have been sent never changes its provider automatically. */
export const mayFailOver = (
  reason: string | null,
  { partsSent, mayBeSent }: { partsSent: number; mayBeSent: boolean },
): boolean => OF_MEMBER.has(reason) && partsSent === 0 && !mayBeSent;

/** Routes without a deadline are checked once a day, so that the chain of a settled message is closed. */
const CHECK_MS = 24 * 60 * 60 * 1000;

/** The times of a route that starts now. The next member of a pool keeps the deadline of the one before. */
export function startOfRoute(
  { afterMs, failoverMs }: Pick<MessageRoute, 'afterMs' | 'failoverMs'>,
  now: Millis,
  kept: Millis | null = null,
): Pick<MessageRoute, 'startedAt' | 'deadline' | 'failoverAt' | 'dueAt'> {
  const deadline = kept ?? (afterMs === null ? null : now + afterMs);
  const failoverAt = failoverMs === null ? null : now + failoverMs;
  const dueAt = Math.min(deadline ?? now + CHECK_MS, failoverAt ?? Number.POSITIVE_INFINITY);
  return { startedAt: now, deadline, failoverAt, dueAt };
}

/**
 * The due time of a message between two routes, which is never in the future. It is the requested send time, because the
 * API shows it, or for a message without one, the time at which it was accepted.
 */
export const dueBetweenRoutes = (
  { dueAt, createdAt }: { dueAt?: Millis | null; createdAt: Millis },
  now: Millis,
): Millis => Math.min(dueAt ?? createdAt, now);

/** The requested send time of a message; null without one. */
export const departureTime = ({
  dueAt,
  createdAt,
}: {
  dueAt: Millis | null;
  createdAt: Millis;
}): Millis | null => (dueAt === createdAt ? null : dueAt);

/** Whether a routed message waits in the schedule because its route ended, not until a send time. */
export const isBetweenRoutes = (reason: string | null): boolean =>
  reason !== null && reason !== 'quiet_hours';

const PROGRESS: Partial<Record<string, number>> = { sent: 1, delivered: 2, read: 3 };

/** The rank of the furthest state that a message or route reached; 0 if nothing is known to have been sent. */
export const progressOf = (state: string | null): number => PROGRESS[state ?? ''] ?? 0;

export const meets = (state: string | null, until: Condition | null): boolean =>
  until !== null && progressOf(state) >= progressOf(until);

/** What the delivery reports say about a route. */
export type RouteReport = 'delivered' | 'read' | 'failed' | null;

interface ChainMessage {
  /** A MessageState. */
  state: string;
  route: number;
  partsSent: number;
  /** Whether an attempt of the active route may have sent something without a confirmation. */
  mayBeSent: boolean;
  /** Whether it changes a message with routes: then it is sent on each of its routes. */
  isChange: boolean;
}

/** The decision about a message whose active route was checked. */
export type Step =
  /** Do nothing until this time; null: until a report or a person changes something. */
  | { step: 'wait'; until: Millis | null }
  /** The condition was met, or the message has ended. */
  | { step: 'close' }
  /** Another route got further than the active one: the message takes its state. */
  | { step: 'adopt'; number: number; state: 'sent' | 'delivered' | 'read' }
  /** The route has ended: the next one starts. */
  | { step: 'leave'; because: string };

/** The pause between two checks of a message that is being sent, and the shortest while an earlier route may get further. */
const SENDING_PAUSE_MS = 1_000;

/**
 * Decides what follows for a routed message, from its state and the reports on each of its routes. The only definition
 * of when a route ends.
 */
export function nextStep(
  message: ChainMessage,
  routes: readonly MessageRoute[],
  reports: ReadonlyMap<number, RouteReport>,
  now: Millis,
): Step {
  const { state, route } = message;
  const active = routes[route];
  if (!active) return { step: 'close' };
  if (state === 'sending') return { step: 'wait', until: now + SENDING_PAUSE_MS };
  const other = furthestOther(route, routes, reports);
  const isMet = other !== undefined && meets(other.state, routes[other.number]?.until ?? null);
  const isOpen = state === 'queued' || state === 'scheduled';
  if (isMet && isOpen) return { step: 'adopt', ...other };
  const { deadline, startedAt, until, position } = active;
  const isLate = deadline !== null && now >= deadline;
  // While nothing of this route was sent, an earlier one may already have got further: check again soon.
  const again = other ? Math.max(SENDING_PAUSE_MS, now - (startedAt ?? now)) : undefined;
  const later = (at: Millis | null): Step => {
    if (again === undefined) return { step: 'wait', until: at ?? now + CHECK_MS };
    return { step: 'wait', until: Math.min(now + again, at ?? Number.POSITIVE_INFINITY) };
  };
  if (state === 'scheduled') return { step: 'wait', until: null };
  if (state === 'queued') {
    if (isLate) return { step: 'leave', because: DEADLINE };
    const hasMember = routes.some(
      (one) => one.position === position && one.number > route && one.state === 'pending',
    );
    const failoverAt = hasMember && mayFailOver(FAILOVER, message) ? active.failoverAt : null;
    if (failoverAt === null) return later(deadline);
    if (now >= failoverAt) return { step: 'leave', because: FAILOVER };
    return later(Math.min(failoverAt, deadline ?? Number.POSITIVE_INFINITY));
  }
  if (message.isChange)
    return state === 'uncertain' ? { step: 'wait', until: null } : { step: 'close' };
  const hasNext = !isMet && hasNextRoute(active, routes);
  const isFurther = other !== undefined && progressOf(other.state) > progressOf(state);
  if (isFurther && !hasNext && state !== 'canceled') return { step: 'adopt', ...other };
  const report = reports.get(route) ?? null;
  if (report === 'failed' && hasNext && state !== 'failed' && !(isLate && meets(state, until))) {
    return { step: 'leave', because: 'undelivered' };
  }
  // Waits for a person to decide, or for a report.
  if (state === 'uncertain' && hasNext) return { step: 'wait', until: null };
  if (!hasNext || progressOf(state) === 0) return { step: 'close' };
  const reported = progressOf(report) > progressOf(state) ? report : state;
  // A sent message may still be reported as failed.
  if (meets(reported, until) && (isLate || reported !== 'sent')) return { step: 'close' };
  return isLate ? { step: 'leave', because: DEADLINE } : { step: 'wait', until: deadline };
}

/** Whether another route may follow; other members of the same pool do not count. */
export const hasNextRoute = (
  { position }: Pick<MessageRoute, 'position'>,
  routes: readonly Pick<MessageRoute, 'position' | 'state'>[],
): boolean => routes.some((one) => one.position > position && one.state === 'pending');

/**
 * When the vendor must stop trying, because the next route starts: undefined if the route has no deadline, or only waits
 * for the vendor to accept the message.
 */
export function validUntil(number: number, routes: readonly MessageRoute[]): Millis | undefined {
  const active = routes[number];
  const isAwaited = active?.until === 'delivered' || active?.until === 'read';
  return isAwaited && hasNextRoute(active, routes) ? (active.deadline ?? undefined) : undefined;
}

/** Whether all parts were sent by a route that ended. Reports on some of them prove nothing about the message. */
export const wasSentWhole = ({ state, because }: Pick<MessageRoute, 'state' | 'because'>) =>
  progressOf(state) > 0 || because === 'undelivered';

/** The furthest of the other routes, if something of it was sent. */
export function furthestOther(
  active: number,
  routes: readonly Pick<MessageRoute, 'number' | 'state' | 'because'>[],
  reports: ReadonlyMap<number, RouteReport>,
): { number: number; state: 'sent' | 'delivered' | 'read' } | undefined {
  let best: { number: number; state: 'sent' | 'delivered' | 'read' } | undefined;
  for (const route of routes) {
    const { number, state: own } = route;
    if (number === active) continue;
    const reported = wasSentWhole(route) ? (reports.get(number) ?? null) : null;
    const state = progressOf(reported) > progressOf(own) ? reported : own;
    if (progressOf(state) <= progressOf(best?.state ?? null)) continue;
    if (state === 'sent' || state === 'delivered' || state === 'read') best = { number, state };
  }
  return best;
}
