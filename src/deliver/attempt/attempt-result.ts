import type { Channel, Outcome } from '../../channels/channel.ts';
import { indexKey } from '../../lib/text/index-key.ts';
import { messageData } from '../../model/event.ts';
import { ENDPOINT } from '../../model/integration.ts';
import { isBetweenRoutes } from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { AttemptResult, ClaimedMessage } from '../../store/delivery/dispatch-round.ts';
import type { Runner } from '../runner.ts';
import type { AttemptRecord } from './attempt.ts';
import { type Decision, leavingRoute } from './outcome-policy.ts';

/** The health part of a result that says nothing about the integration. */
export const NO_REPORT = { health: null, wasUnhealthy: false } as const;

/** The record of an attempt that made no request. */
export const NO_RESPONSE = {
  parts: 1,
  status: null,
  request: null,
  withActivity: 0,
  answer: null,
} as const;

/** The record of one attempt. The sender adds the health part. */
export function resultOf(
  message: ClaimedMessage,
  { fence }: Runner,
  { outcome, change: decided }: Decision,
  attempted: AttemptRecord,
  startedAt: Millis,
  duration: Millis,
  channel?: Channel,
): AttemptResult {
  const { id: messageId, starts: start, integrationId, recipient, partsSent } = message;
  const { status, request, withActivity, answer } = attempted;
  const change = leavingRoute(message, decided, startedAt + Math.round(duration));
  const reported: { code?: string; detail?: string } = attempted.outcome;
  return {
    applicationId: message.applicationId,
    integrationId,
    fence,
    messageId,
    start,
    recipient,
    ...change,
    event: eventOf(message, change, channel),
    trace: message.trace,
    reportedAs: reportedAs(attempted.outcome, channel),
    ...NO_REPORT,
    attempt: {
      startedAt,
      duration: Math.round(duration),
      outcome,
      part: partsSent + 1,
      status,
      code: reported.code ?? null,
      detail: reported.detail ?? null,
      request,
      withActivity,
      answer,
    },
  };
}

/** The effect of an outcome on the health of the integration; null when it is about a recipient, content or a rate limit. */
export function healthOf(outcome: Outcome): AttemptResult['health'] {
  switch (outcome.outcome) {
    case 'sent':
      return 'ok';
    case 'limited':
      return null;
    case 'transient':
      return outcome.blame === 'content' ? null : 'transient';
    case 'permanent':
      return outcome.blame === 'credentials' ? 'credentials' : null;
  }
}

/** The event for the application. The delivery of an event has none, because each would cause another. */
export function eventOf(
  message: ClaimedMessage,
  change: Decision['change'],
  channel?: Channel,
): string | null {
  if (change.state === 'queued' || channel?.name === ENDPOINT) return null;
  const { id, applicationId, integrationId, recipient, objectId, instructions, trace } = message;
  const { channelIds, reason, detail } = change;
  // The next route, or the end of the chain, has the event. What is due at once is not deferred, but refused.
  const isDue = (change.releaseAt ?? Infinity) <= change.dueAt;
  if (change.state === 'scheduled' && (isBetweenRoutes(reason) || isDue)) return null;
  const { route = null } = message;
  const place = { integrationId, recipient, route };
  const origin = { id, applicationId, ...place, objectId, instructions, trace };
  const dueAt = change.releaseAt ?? null;
  return messageData({ ...origin, channelIds, reason, detail, dueAt }, change.state) ?? null;
}

/** The id under which the channel will report on the message, if it sends reports. */
function reportedAs(outcome: Outcome, channel?: Channel): string | null {
  if (outcome.outcome !== 'sent' || outcome.id === undefined || !channel?.receipts) return null;
  return indexKey(outcome.id);
}
