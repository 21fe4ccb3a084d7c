import Type, { type Static } from 'typebox';

import { EVENT_TYPES } from '../../model/event.ts';
import { type CountedMessage, MESSAGE_STATES } from '../../model/message.ts';
import { timestamp } from '../../model/timestamp.ts';
import type { EndpointInfo } from '../../store/feed/endpoints.ts';
import type { DeliveryContext } from '../../store/feed/webhook-deliveries.ts';
import type { Store } from '../../store/store.ts';
import { Id as IdField, Timestamp, datedFields, nullable } from '../openapi/schemas.ts';
import { dated, faultOf } from './views.ts';

export const WebhookDeliverySchema = Type.Object(
  {
    ...datedFields,
    event_id: IdField,
    event_type: nullable(
      Type.Enum([...EVENT_TYPES], { description: 'Null once the event is past its retention.' }),
    ),
    state: Type.Enum([...MESSAGE_STATES]),
    attempts: Type.Integer({ description: 'Recorded attempts, listed by `/attempts`.' }),
    failed_attempts: Type.Integer({ description: 'Attempts that failed.' }),
    next_at: nullable(
      Type.String({
        ...Timestamp,
        description:
          'Next attempt, UTC; null while the delivery waits for another one or a person, or is finished.',
      }),
    ),
    error: nullable(Type.Object({ code: Type.String(), detail: nullable(Type.String()) })),
  },
  { title: 'WebhookDelivery' },
);

export const WebhookSchema = Type.Object(
  {
    url: nullable(Type.String()),
    state: Type.Enum(['enable', 'failing', 'disable', 'paused'], {
      description:
        '`failing`: two consecutive attempts failed; the first event is retried, the others wait. `paused`: the endpoint answered 410 or failed for five days; nothing is sent until the webhook is resumed. `disable`: no URL is set.',
    }),
    reason: nullable(Type.String({ description: 'Why the webhook is paused or failing.' })),
    failing_since: nullable(
      Type.String({ ...Timestamp, description: 'Start of the failing period, UTC.' }),
    ),
    last_answer: nullable(
      Type.Object(
        {
          at: Timestamp,
          status: nullable(Type.String({ description: 'HTTP status; null without a response.' })),
          detail: nullable(Type.String({ description: 'The error.' })),
          body: nullable(Type.String({ description: 'Start of the response body.' })),
        },
        {
          description: 'Last response to the failing delivery that blocks the others (`blocking`).',
        },
      ),
    ),
    blocking: nullable(WebhookDeliverySchema),
    secrets: Type.Array(Type.String(), {
      description: 'Active signing secrets, newest first; two during a rotation.',
    }),
    waiting: Type.Integer({
      description: 'Events not delivered yet, including the blocking one.',
    }),
  },
  { title: 'Webhook' },
);

const NO_WEBHOOK = {
  url: null,
  state: 'disable',
  reason: null,
  failing_since: null,
  last_answer: null,
  blocking: null,
  secrets: [],
  waiting: 0,
} satisfies Static<typeof WebhookSchema>;

export async function webhookView(
  store: Store,
  endpoint: EndpointInfo | undefined,
): Promise<Static<typeof WebhookSchema>> {
  if (!endpoint) return NO_WEBHOOK;
  const { applicationId, url, secrets, pause, failingSince, lastError } = endpoint;
  const isPaused = pause.pausedReason !== null && pause.pausedUntil === null;
  const isFailing = failingSince !== null;
  const { waiting, blocking } = await store.webhookDeliveries.backlog(endpoint);
  const attempt = blocking && (await store.attempts.last(blocking));
  const context = blocking && (await store.webhookDeliveries.context(applicationId, [blocking]));
  return {
    url,
    state: isPaused ? 'paused' : isFailing ? 'failing' : 'enable',
    reason: isPaused ? pause.pausedDetail : isFailing ? lastError : null,
    failing_since: isFailing ? timestamp(failingSince) : null,
    last_answer: attempt
      ? {
          at: timestamp(attempt.startedAt),
          status: attempt.status,
          detail: attempt.detail,
          body: attempt.answer,
        }
      : null,
    blocking: blocking && context ? deliveryView(blocking, context) : null,
    secrets,
    waiting,
  };
}

export function deliveryView(
  message: CountedMessage,
  { types, next }: DeliveryContext,
): Static<typeof WebhookDeliverySchema> {
  const eventId = Number(message.objectId);
  return {
    ...dated(message),
    event_id: eventId,
    event_type: types.get(eventId) ?? null,
    state: message.state,
    attempts: message.attemptCount,
    failed_attempts: message.attempts,
    next_at: next?.messageId === message.id ? timestamp(next.at) : null,
    error: faultOf(message),
  };
}
