import Type from 'typebox';

import { newWebhookSecret } from '../../lib/crypto/standard-webhooks.ts';
import type { UserPrincipal } from '../../model/account.ts';
import type { Application } from '../../model/application.ts';
import { type AuditAction, type AuditEntry, type FieldChange, visible } from '../../model/audit.ts';
import { envelopeJson } from '../../model/event.ts';
import { type Id, parseId } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';
import { invalidFields } from '../../model/problem.ts';
import { parseTimestamp } from '../../model/timestamp.ts';
import type { EndpointInfo } from '../../store/feed/endpoints.ts';
import type { DeliveryFilter } from '../../store/feed/webhook-deliveries.ts';
import { aboutApplication } from '../audit.ts';
import { statesIn } from '../message-filter.ts';
import { AttemptSchema, Timestamp, listOf, nullable } from '../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import {
  type Parameter,
  type Query,
  type Route,
  notFound,
  ok,
  pathId,
  userRoute,
} from '../server/route.ts';
import type { Services } from '../services.ts';
import { attemptView } from '../views/views.ts';
import {
  WebhookDeliverySchema,
  WebhookSchema,
  deliveryView,
  webhookView,
} from '../views/webhook.ts';

export const TrialSchema = Type.Object(
  {
    outcome: Type.String(),
    status: nullable(Type.String()),
    detail: nullable(Type.String()),
    duration_ms: Type.Integer(),
    answer: nullable(Type.String()),
    headers: Type.Record(Type.String(), Type.String(), {
      description:
        'Headers of the request, including `webhook-signature`: one signature per secret, newest first.',
    }),
    body: Type.String({ description: 'Body of the request, byte for byte.' }),
    signed: Type.String({
      description:
        'The signed content: `webhook-id`, `webhook-timestamp` and the body, joined by dots.',
    }),
  },
  { title: 'WebhookTrial' },
);

const DELIVERY_FILTERS: readonly Parameter[] = [
  {
    name: 'state',
    description:
      'Only deliveries in this state, or in one of several: `queued,sending`. No delivery fails: it is `queued` until the endpoint accepts it.',
    schema: { type: 'string', examples: ['queued'] },
  },
  {
    name: 'event_id',
    description: 'Only deliveries of this event to the current endpoint.',
    schema: { type: 'integer', format: 'int64' },
  },
];

const Recovery = Type.Object(
  {
    since: Type.Optional(Timestamp),
    after: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { title: 'Recovery' },
);

/** Tolerance for clock differences between nodes: replays a little more rather than too little. */
const CLOCK_TOLERANCE_MS = 60_000;

const tag = 'Webhooks';

/** The webhook of an application and its deliveries. */
export function webhookRoutes(services: Services): Route[] {
  const { store, clock, delivery, feed, channelCalls, audit } = services;

  async function applicationOf(caller: UserPrincipal, id: Id): Promise<Application> {
    const application = await store.applications.get(id);
    if (application?.teamId !== caller.teamId) throw notFound('the application');
    return application;
  }

  const applicationIdOf = async (caller: UserPrincipal, id: Id): Promise<Id> =>
    (await applicationOf(caller, id)).id;

  /** An audit entry about the webhook. */
  async function entryOf(
    caller: UserPrincipal,
    action: AuditAction,
    id: Id,
    changes: readonly FieldChange[] = [],
  ): Promise<AuditEntry> {
    const about = aboutApplication(await applicationOf(caller, id));
    return audit.entry(caller, action, about, changes);
  }

  async function endpointOf(caller: UserPrincipal, id: Id): Promise<EndpointInfo> {
    const endpoint = await store.endpoints.get(await applicationIdOf(caller, id));
    if (!endpoint) throw new Problem('no_webhook', 'the application has no webhook_url');
    return endpoint;
  }

  const view = async (applicationId: Id) =>
    webhookView(store, await store.endpoints.get(applicationId));

  /** Wakes delivery to the endpoint. */
  function wakeDelivery(applicationId: Id, integrationId: Id | undefined): void {
    if (integrationId === undefined)
      throw new Problem('no_webhook', 'the application has no webhook_url');
    delivery.changed(integrationId);
    feed.changed(applicationId);
  }

  async function deliveryOf(caller: UserPrincipal, call: Parameters<typeof pathId>[0]) {
    const applicationId = await applicationIdOf(caller, pathId(call));
    const found = await store.webhookDeliveries.get(applicationId, pathId(call, 'delivery'));
    if (!found) throw notFound('the delivery');
    return found;
  }

  const path = '/1/applications/:id/webhook';
  const deliveryPath = `${path}/deliveries/:delivery`;
  const response = { status: 200, description: 'The webhook.', schema: WebhookSchema };
  return [
    userRoute({
      method: 'GET',
      path,
      operationId: 'getWebhook',
      tag,
      summary: 'Get the webhook of an application',
      description:
        'The service posts every event to `webhook_url` as `{id, type, timestamp, data}`, in feed order, with a Standard Webhooks signature.',
      success: response,
      problems: ['not_found'],
      async handle(call) {
        const id = await applicationIdOf(call.caller, pathId(call));
        return ok(await view(id));
      },
    }),
    userRoute({
      method: 'POST',
      path: `${path}/rotate`,
      operationId: 'rotateWebhookSecret',
      tag,
      summary: 'Rotate the webhook secret',
      description: 'The previous secret keeps signing for another 24 hours.',
      success: response,
      problems: ['not_found', 'no_webhook'],
      async handle(call) {
        const { applicationId } = await endpointOf(call.caller, pathId(call));
        const entry = await entryOf(call.caller, 'webhook.rotated', applicationId);
        const secret = newWebhookSecret();
        wakeDelivery(
          applicationId,
          await store.endpoints.rotate(applicationId, secret, clock.now(), entry),
        );
        return ok(await view(applicationId));
      },
    }),
    userRoute({
      method: 'POST',
      path: `${path}/test`,
      operationId: 'testWebhook',
      tag,
      summary: 'Test the webhook',
      description:
        "Sends an event of type `webhook.test` at once, ahead of waiting events, and returns the endpoint's response. The event is not in the feed.",
      success: { status: 200, description: 'Result of the test.', schema: TrialSchema },
      problems: ['not_found', 'no_webhook'],
      async handle(call) {
        const endpoint = await endpointOf(call.caller, pathId(call));
        const { applicationId } = endpoint;
        const body = JSON.stringify({
          type: 'webhook.test',
          timestamp: new Date(clock.now()).toISOString(),
          data: { application_id: applicationId },
        });
        const { duration, headers, ...result } = await channelCalls.tryEndpoint(endpoint, body);
        const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
        return ok({ ...result, duration_ms: Math.round(duration), headers, body, signed });
      },
    }),
    userRoute({
      method: 'POST',
      path: `${path}/resume`,
      operationId: 'resumeWebhook',
      tag,
      summary: 'Resume a paused webhook',
      description: 'Waiting events are delivered in order.',
      success: response,
      problems: ['not_found', 'no_webhook'],
      async handle(call) {
        const { applicationId } = await endpointOf(call.caller, pathId(call));
        const entry = await entryOf(call.caller, 'webhook.resumed', applicationId);
        wakeDelivery(
          applicationId,
          await store.endpoints.resume(applicationId, clock.now(), entry),
        );
        return ok(await view(applicationId));
      },
    }),
    userRoute({
      method: 'POST',
      path: `${path}/recover`,
      operationId: 'recoverWebhook',
      tag,
      summary: 'Replay events',
      description:
        'Delivers events again, since a time (`since`) or after an event (`after`), in order, followed by newer ones. Undelivered events are never skipped. Resumes a paused webhook.',
      body: Recovery,
      example: { since: '2026-01-31T08:00:00' },
      success: response,
      problems: ['not_found', 'no_webhook'],
      async handle(call) {
        const { since, after } = call.body;
        const { applicationId } = await endpointOf(call.caller, pathId(call));
        const moment = since === undefined ? undefined : parseTimestamp(since);
        if (moment === undefined && after === undefined) {
          throw invalidFields({
            pointer: '/since',
            detail: 'give since or after',
          });
        }
        const from =
          moment === undefined
            ? (after ?? 0)
            : await store.events.before(applicationId, moment - CLOCK_TOLERANCE_MS);
        const filters = [
          ...visible('since', null, since),
          ...visible('after', null, after === undefined ? undefined : String(after)),
        ];
        const entry = await entryOf(call.caller, 'webhook.recovered', applicationId, filters);
        wakeDelivery(
          applicationId,
          await store.endpoints.recover(applicationId, from, clock.now(), entry),
        );
        return ok(await view(applicationId));
      },
    }),
    userRoute({
      method: 'GET',
      path: `${path}/deliveries`,
      operationId: 'listWebhookDeliveries',
      tag,
      summary: 'List webhook deliveries',
      description: 'Newest first. Events not attempted yet are in the feed.',
      query: [...PAGING, ...DELIVERY_FILTERS],
      success: {
        status: 200,
        description: 'A page of deliveries.',
        schema: listOf(WebhookDeliverySchema),
      },
      problems: ['not_found'],
      async handle(call) {
        const id = await applicationIdOf(call.caller, pathId(call));
        const filter = readDeliveryFilter(call.query);
        const page = filter
          ? await store.webhookDeliveries.list(id, filter, pageRequest(call.query))
          : { items: [], older: false, newer: false };
        const context = await store.webhookDeliveries.context(id, page.items);
        return listAnswer(call, `/1/applications/${id}/webhook/deliveries`, page, (item) =>
          JSON.stringify(deliveryView(item, context)),
        );
      },
    }),
    userRoute({
      method: 'GET',
      path: deliveryPath,
      operationId: 'getWebhookDelivery',
      tag,
      summary: 'Get a webhook delivery',
      success: { status: 200, description: 'The delivery.', schema: WebhookDeliverySchema },
      problems: ['not_found'],
      async handle(call) {
        const found = await deliveryOf(call.caller, call);
        const context = await store.webhookDeliveries.context(found.applicationId, [found]);
        return ok(deliveryView(found, context));
      },
    }),
    userRoute({
      method: 'GET',
      path: `${deliveryPath}/attempts`,
      operationId: 'listWebhookDeliveryAttempts',
      tag,
      summary: 'List the attempts of a webhook delivery',
      success: { status: 200, description: 'All attempts.', schema: listOf(AttemptSchema) },
      problems: ['not_found'],
      async handle(call) {
        const attempts = await store.attempts.list(await deliveryOf(call.caller, call));
        return ok({ data: attempts.map((attempt) => attemptView(attempt)) });
      },
    }),
    userRoute({
      method: 'POST',
      path: `${deliveryPath}/resend`,
      operationId: 'resendWebhookDelivery',
      tag,
      summary: 'Redeliver an event',
      description: 'After all waiting events, with the same `webhook-id`.',
      success: { status: 202, description: 'Queued for delivery.' },
      problems: ['not_found', 'no_webhook'],
      async handle(call) {
        const { applicationId, objectId } = await deliveryOf(call.caller, call);
        const event = await store.events.get(applicationId, Number(objectId));
        if (!event) throw notFound('the event');
        const body = envelopeJson(event, call.baseUrl());
        const redelivered = { ...event, body };
        const change = visible('event_id', null, String(event.id));
        const entry = await entryOf(call.caller, 'webhook.resent', applicationId, change);
        wakeDelivery(
          applicationId,
          await store.endpoints.redeliver(applicationId, redelivered, clock.now(), entry),
        );
        return { status: 202 };
      },
    }),
  ];
}

/** Undefined if nothing can match, for example because a value is malformed. */
function readDeliveryFilter({ state, event_id }: Query): DeliveryFilter | undefined {
  const states = state === undefined ? undefined : statesIn(state);
  const eventId = event_id === undefined ? undefined : parseId(event_id);
  if (states?.length === 0 || (event_id !== undefined && !eventId)) return undefined;
  return { ...(states && { states }), ...(eventId !== undefined && { eventId }) };
}
