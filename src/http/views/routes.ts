import type { Attempt } from '../../model/attempt.ts';
import { findFault } from '../../model/fault.ts';
import type { Message } from '../../model/message.ts';
import { readInstructions } from '../../model/sending/instructions.ts';
import { type MessageRoute, hasNextRoute, meets } from '../../model/sending/message-route.ts';
import { readPartIds } from '../../model/sending/sent-part.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import type { WaitInfo } from './waiting.ts';

const momentOf = (at: Millis | null) => (at === null ? null : timestamp(at));

/** The routes of a message. The message itself has the fields of the active one. */
export function routesView(message: Message, routes: readonly MessageRoute[]) {
  return routes.map((route) => {
    const isActive = route.number === message.route;
    const { partsSent, channelIds } = isActive ? message : route;
    const { until, because } = route;
    const { revisedBy: [revision] = [] } = readInstructions(route.instructions);
    return {
      via: route.via,
      integration_id: route.integrationId,
      to: route.recipient,
      state: isActive ? message.state : route.state === 'active' ? 'pending' : route.state,
      ...(until !== null && { until }),
      started_at: momentOf(route.startedAt),
      deadline: momentOf(route.deadline),
      ended_at: momentOf(route.endedAt),
      parts_sent: partsSent,
      channel_ids: readPartIds(channelIds),
      because: because === null ? null : { ...causeView(because), detail: route.detail },
      ...(revision !== undefined && { revised_by: revision }),
      maybe_sent: route.maybeSent === 1,
    };
  });
}

const causeView = (code: string) => ({ code, title: findFault(code)?.title ?? code });

/** The time until which a sent message waits for a report; null if the chain has ended. */
export function receiptWait(
  { state, route }: Pick<Message, 'state' | 'route'>,
  routes: readonly MessageRoute[],
): WaitInfo | null {
  const active = routes[route ?? -1];
  if (!active || active.closedAt !== null || active.until === null) return null;
  const isWaiting = state === 'sent' || state === 'delivered';
  if (!isWaiting || !hasNextRoute(active, routes) || meets(state, active.until)) return null;
  return {
    reason: 'receipt',
    until: momentOf(active.deadline),
    estimated: false,
    detail: `The message waits to be ${active.until}. The next route starts otherwise.`,
  };
}

/** The route that made an attempt, by its number. */
export function routeOf(
  { number }: Pick<Attempt, 'number'>,
  routes: readonly Pick<MessageRoute, 'number' | 'firstStart' | 'startedAt'>[],
): number | undefined {
  const started = routes.filter(({ startedAt }) => startedAt !== null);
  return started.findLast(({ firstStart }) => firstStart < number)?.number;
}
