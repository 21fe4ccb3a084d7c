import Type from 'typebox';

import { newWebhookSecret } from '../../lib/standard-webhooks.ts';
import type { UserPrincipal } from '../../model/account.ts';
import { envelopeJson } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { Message } from '../../model/message.ts';
import { Problem } from '../../model/problem.ts';
import { invalidFields } from '../../model/problem.ts';
import { parseTimestamp, timestamp } from '../../model/timestamp.ts';
import type { EndpointInfo } from '../../store/endpoints.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import { type Route, notFound, ok, pathId, userRoute } from '../route.ts';
import {
  AttemptSchema,
  Id as IdField,
  Timestamp,
  datedFields,
  listOf,
  nullable,
} from '../schemas.ts';
import type { Services } from '../services.ts';
import { attemptView, faultOf } from '../views.ts';

export const WebhookSchema = Type.Object(
  {
    url: nullable(Type.String()),
    state: Type.Enum(['enable', 'disable', 'paused'], {
      description:
        '`disable` without a URL; `paused` when the endpoint answered 410, or failed for five days.',
    }),
    reason: nullable(Type.String({ description: 'Why it is paused.' })),
    secrets: Type.Array(Type.String(), {
      description: 'Those that sign, the newest first; two while one replaces the other.',
    }),
    waiting: Type.Integer({ description: 'How many events it has not been given yet.' }),
  },
  { title: 'Webhook' },
);

export const TrialSchema = Type.Object(
  {
    outcome: Type.String(),
    status: nullable(Type.String()),
    detail: nullable(Type.String()),
    duration_ms: Type.Integer(),
    answer: nullable(Type.String()),
    headers: Type.Record(Type.String(), Type.String(), {
      description:
        'Those of the request, `webhook-signature` too: one signature for each secret, the newest first.',
    }),
    body: Type.String({ description: 'That of the request, byte for byte.' }),
    signed: Type.String({
      description:
        'What the signatures are of: `webhook-id`, `webhook-timestamp` and the body, with dots between them.',
    }),
  },
  { title: 'WebhookTrial' },
);

export const WebhookDeliverySchema = Type.Object(
  {
    ...datedFields,
    event_id: IdField,
    state: Type.String(),
    attempts: Type.Integer(),
    error: nullable(Type.Object({ code: Type.String(), detail: nullable(Type.String()) })),
  },
  { title: 'WebhookDelivery' },
);

const Recovery = Type.Object(
  {
    since: Type.Optional(Timestamp),
    after: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { title: 'Recovery' },
);

/** How much the clocks of nodes may differ: rather a little too much again than too little. */
const CLOCKS = 60_000;

const tag = 'Webhooks';

/** The webhook of an application, and what was delivered there. */
export function webhookRoutes(services: Services): Route[] {
  const { store, clock, delivery, feed, errands } = services;

  async function ofTeam(caller: UserPrincipal, id: Id): Promise<Id> {
    const application = await store.applications.get(id);
    if (application?.teamId !== caller.teamId) throw notFound('the application');
    return application.id;
  }

  async function endpointOf(caller: UserPrincipal, id: Id): Promise<EndpointInfo> {
    const endpoint = await store.endpoints.get(await ofTeam(caller, id));
    if (!endpoint) throw new Problem('no_webhook', 'the application has no webhook_url');
    return endpoint;
  }

  async function view(applicationId: Id, endpoint: EndpointInfo | undefined) {
    if (!endpoint) return { url: null, state: 'disable', reason: null, secrets: [], waiting: 0 };
    const { url, secrets, cursor, pause } = endpoint;
    const isPaused = pause.pausedReason !== null && pause.pausedUntil === null;
    return {
      url,
      state: isPaused ? 'paused' : 'enable',
      reason: isPaused ? pause.pausedDetail : null,
      secrets,
      waiting: Math.max(0, (await store.events.last(applicationId)) - cursor),
    };
  }

  /** The endpoint may send what it could not. */
  function goOn(applicationId: Id, integrationId: Id | undefined): void {
    if (integrationId === undefined) throw new Problem('no_webhook', 'there is no webhook_url');
    delivery.changed(integrationId);
    feed.changed(applicationId);
  }

  async function deliveryOf(caller: UserPrincipal, call: Parameters<typeof pathId>[0]) {
    const applicationId = await ofTeam(caller, pathId(call));
    const found = await store.endpoints.delivery(applicationId, pathId(call, 'delivery'));
    if (!found) throw notFound('the delivery');
    return found;
  }

  const path = '/1/applications/:id/webhook';
  const one = `${path}/deliveries/:delivery`;
  const shown = { status: 200, description: 'The webhook.', schema: WebhookSchema };
  return [
    userRoute({
      method: 'GET',
      path,
      tag,
      summary: 'Get the webhook of an application',
      description:
        'Every event is posted to `webhook_url` as `{id, type, timestamp, data}`, in the order of the feed, signed by Standard Webhooks.',
      success: shown,
      problems: ['not_found'],
      async handle(call) {
        const id = await ofTeam(call.caller, pathId(call));
        return ok(await view(id, await store.endpoints.get(id)));
      },
    }),
    userRoute({
      method: 'POST',
      path: `${path}/rotate`,
      tag,
      summary: 'Change the secret of the webhook',
      description: 'The one before it signs as well for another 24 hours.',
      success: shown,
      problems: ['not_found', 'no_webhook'],
      async handle(call) {
        const { applicationId } = await endpointOf(call.caller, pathId(call));
        goOn(
          applicationId,
          await store.endpoints.rotate(applicationId, newWebhookSecret(), clock.now()),
        );
        return ok(await view(applicationId, await store.endpoints.get(applicationId)));
      },
    }),
    userRoute({
      method: 'POST',
      path: `${path}/test`,
      tag,
      summary: 'Try the webhook',
      description:
        'Sends an event of type `webhook.test` at once, past all that waits, and says what the endpoint answered. It is not in the feed.',
      success: { status: 200, description: 'What became of it.', schema: TrialSchema },
      problems: ['not_found', 'no_webhook'],
      async handle(call) {
        const endpoint = await endpointOf(call.caller, pathId(call));
        const { applicationId } = endpoint;
        const body = JSON.stringify({
          type: 'webhook.test',
          timestamp: new Date(clock.now()).toISOString(),
          data: { application_id: applicationId },
        });
        const { duration, headers, ...tried } = await errands.tryEndpoint(endpoint, body);
        const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
        return ok({ ...tried, duration_ms: Math.round(duration), headers, body, signed });
      },
    }),
    userRoute({
      method: 'POST',
      path: `${path}/resume`,
      tag,
      summary: 'Resume a paused webhook',
      description: 'What has waited is delivered, in order.',
      success: shown,
      problems: ['not_found', 'no_webhook'],
      async handle(call) {
        const { applicationId } = await endpointOf(call.caller, pathId(call));
        goOn(applicationId, await store.endpoints.resume(applicationId, clock.now()));
        return ok(await view(applicationId, await store.endpoints.get(applicationId)));
      },
    }),
    userRoute({
      method: 'POST',
      path: `${path}/recover`,
      tag,
      summary: 'Deliver events again',
      description:
        'All of them since a moment (`since`), or after an event (`after`), in order; and then what has happened since. What has not been delivered yet is never skipped. A paused webhook is resumed.',
      body: Recovery,
      example: { since: '2026-01-31T08:00:00' },
      success: shown,
      problems: ['not_found', 'no_webhook'],
      async handle(call) {
        const { since, after } = call.body;
        const { applicationId } = await endpointOf(call.caller, pathId(call));
        const moment = since === undefined ? undefined : parseTimestamp(since);
        if (moment === undefined && after === undefined) {
          throw invalidFields({
            pointer: '/since',
            detail: 'say since when, or after which event',
          });
        }
        const from =
          moment === undefined
            ? (after ?? 0)
            : await store.events.before(applicationId, moment - CLOCKS);
        goOn(applicationId, await store.endpoints.recover(applicationId, from, clock.now()));
        return ok(await view(applicationId, await store.endpoints.get(applicationId)));
      },
    }),
    userRoute({
      method: 'GET',
      path: `${path}/deliveries`,
      tag,
      summary: 'List the deliveries of the webhook',
      description: 'The most recent first. Events that have not had their turn are in the feed.',
      query: PAGING,
      success: {
        status: 200,
        description: 'A page of them.',
        schema: listOf(WebhookDeliverySchema),
      },
      async handle(call) {
        const id = await ofTeam(call.caller, pathId(call));
        const page = await store.endpoints.deliveries(id, pageRequest(call.query));
        return listAnswer(call, `/1/applications/${id}/webhook/deliveries`, page, (item) =>
          JSON.stringify(deliveryView(item)),
        );
      },
    }),
    userRoute({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get a delivery of the webhook',
      success: { status: 200, description: 'The delivery.', schema: WebhookDeliverySchema },
      problems: ['not_found'],
      handle: async (call) => ok(deliveryView(await deliveryOf(call.caller, call))),
    }),
    userRoute({
      method: 'GET',
      path: `${one}/attempts`,
      tag,
      summary: 'List the attempts of a delivery',
      success: { status: 200, description: 'All of them.', schema: listOf(AttemptSchema) },
      problems: ['not_found'],
      async handle(call) {
        const attempts = await store.attempts.list(await deliveryOf(call.caller, call));
        return ok({ data: attempts.map(attemptView) });
      },
    }),
    userRoute({
      method: 'POST',
      path: `${one}/resend`,
      tag,
      summary: 'Deliver an event again',
      description: 'After all that wait, under the same `webhook-id`.',
      success: { status: 202, description: 'It will be.' },
      problems: ['not_found', 'no_webhook'],
      async handle(call) {
        const { applicationId, objectId } = await deliveryOf(call.caller, call);
        const event = await store.events.get(applicationId, Number(objectId));
        if (!event) throw notFound('the event');
        const body = envelopeJson(event, call.baseUrl());
        const redelivered = { id: event.id, body };
        goOn(
          applicationId,
          await store.endpoints.redeliver(applicationId, redelivered, clock.now()),
        );
        return { status: 202 };
      },
    }),
  ];
}

const deliveryView = (message: Message) => ({
  id: message.id,
  created_at: timestamp(message.createdAt),
  updated_at: timestamp(message.updatedAt),
  event_id: Number(message.objectId),
  state: message.state,
  attempts: message.attempts,
  error: faultOf(message),
});
