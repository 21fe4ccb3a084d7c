import Type, { type Static } from 'typebox';

import type { Draft } from '../../accept/draft.ts';
import { rawMember, rawMembers } from '../../lib/json/parse-json.ts';
import type { MessageState } from '../../model/message.ts';
import { Problem, invalidFields } from '../../model/problem.ts';
import { RESENDABLE } from '../../store/messages/resending.ts';
import { MAX_ROUTES } from '../../store/routes/restarting.ts';
import { ActivitySchema, EXAMPLE_ACTIVITY, checkActivity } from '../activity.ts';
import { aboutMessage } from '../audit.ts';
import { dryRun, isDryRun } from '../dry-run.ts';
import { instructionFields, routeOf, templateOf } from '../instructions.ts';
import { checkBatchMembers, checkMembers } from '../member-names.ts';
import { FILTERS, readFilter } from '../message-filter.ts';
import { AcceptedSchema, MessageDetailSchema, MessageSchema } from '../openapi/message-schemas.ts';
import { AttemptSchema, listOf, nullable } from '../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import { type Route, applicationRoute, noContent, notFound, ok, pathId } from '../server/route.ts';
import type { Services } from '../services.ts';
import { messageDetailJson } from '../views/message-detail.ts';
import { PreviewSchema, previewView } from '../views/preview.ts';
import { acceptedAnswer, attemptView, messageJson } from '../views/views.ts';

const Single = Type.Object({ message: ActivitySchema, ...instructionFields });
const Item = Type.Union([ActivitySchema, Single]);
const Batch = Type.Object({
  messages: Type.Array(Item, {
    minItems: 1,
    maxItems: 1000,
    description: 'Activities, or objects like the body of `POST /1/message`.',
  }),
});
const ResendBody = Type.Object({
  route: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: MAX_ROUTES - 1,
        description:
          'Of a message with routes: the route to start again, by its position in `routes`, with those after it. By default the current one.',
      }),
    ),
  ),
});
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

const tag = 'Messages';
const gone = () => notFound('the message');

export const ROUTING_PROBLEMS = [
  'unknown_channel',
  'no_integration',
  'integration_disabled',
  'integration_incomplete',
  'button_value_too_long',
  'unknown_contact',
  'no_address',
  'recipient_suppressed',
  'quiet_hours',
  'condition_unsupported',
  'window_closed',
  'template_refused',
  'unsupported',
  'unknown_object',
  'unknown_media',
  'public_url_missing',
  'overloaded',
] as const;

export function messageRoutes(services: Services): Route[] {
  const { store, clock, outbound, delivery, feed, stats, audit } = services;

  /** How to start this route of a message again; undefined for the current one. Throws a Problem if it is impossible. */
  async function restartOf(
    applicationId: number,
    id: number,
    route: number | undefined,
    now: number,
  ) {
    if (route === undefined) return undefined;
    const message = await store.messages.get(applicationId, id);
    if (!message) throw gone();
    if (!RESENDABLE.includes(message.state)) throw cannotResend(message.state);
    const routes = message.route === null ? [] : await store.routes.list(applicationId, id);
    if (!routes[route]) {
      const why =
        routes.length === 0
          ? 'is only for messages with routes'
          : `must be the position of one of the ${routes.length} routes of the message`;
      throw invalidFields({ pointer: '/route', detail: why });
    }
    const restart = await store.routes.restart(applicationId, id, route, now);
    if (restart) return restart;
    const why =
      routes.length < MAX_ROUTES / 2 ? 'was sent already' : 'the message was resent too often';
    throw invalidFields({ pointer: '/route', detail: why });
  }

  async function detail(applicationId: number, id: number): Promise<string> {
    const text = await messageDetailJson(store, clock, applicationId, id);
    if (text === undefined) throw gone();
    return text;
  }

  return [
    applicationRoute({
      method: 'POST',
      path: '/1/message',
      operationId: 'sendMessage',
      tag,
      summary: 'Send a message',
      description:
        "Responds once the message is on disk. Name the integration with its id in `generator.id`, or the channel in `generator.name`; an application with one integration needs neither. Unknown names are refused. `to.id` is the recipient in the channel's format, or a contact: `contact:42` or `contact:external:ID`. Without a `generator`, a message to a contact goes to its best usable address.",
      body: Single,
      query: [dryRun('the rendered message and its degradations')],
      example: { message: EXAMPLE_ACTIVITY },
      alternative: {
        status: 200,
        description: 'With `dry_run=true`: the rendered message.',
        schema: PreviewSchema,
      },
      success: {
        status: 202,
        description: 'Accepted: stored durably, to be sent.',
        schema: AcceptedSchema,
        headers: ['Location'],
      },
      problems: ROUTING_PROBLEMS,
      async handle(call) {
        const draft = draftOf(call.body, call.text, '');
        if (isDryRun(call.query)) {
          return ok(previewView(await outbound.preview(call.caller.applicationId, draft)));
        }
        const { applicationId } = call.caller;
        const accepted = await outbound.accept(applicationId, [draft], {
          idempotency: call.claim(),
          trace: call.trace(),
        });
        return acceptedAnswer(accepted, true);
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/messages',
      operationId: 'sendMessages',
      tag,
      summary: 'Send up to 1,000 messages',
      description:
        'Either all are accepted or none. They are sent in the given order, except for those that a single request would refuse: they are stored as `suppressed` if their recipients do not accept them, and as `failed` if quiet hours refuse them. A message outside its window fails when it is sent.',
      body: Batch,
      bodyLimit: MAX_BATCH_BYTES,
      example: { messages: [EXAMPLE_ACTIVITY] },
      success: {
        status: 202,
        description: 'Accepted, in the given order.',
        schema: listOf(AcceptedSchema),
      },
      problems: ROUTING_PROBLEMS,
      async handle(call) {
        if (isDryRun(call.query)) {
          throw new Problem('invalid_fields', 'dry_run works only for POST /1/message');
        }
        const { messages } = call.body;
        checkBatchMembers(call.body);
        const texts = [...rawMembers(rawMember(call.text, call.body, 'messages')).values()];
        const drafts = messages.map((item, i): Draft => {
          const pointer = `/messages/${i}`;
          const text = texts[i] ?? '';
          if ('message' in item) return draftOf(item, text, pointer);
          checkActivity(item, pointer);
          return { activity: item, text, pointer };
        });
        const { applicationId } = call.caller;
        const accepted = await outbound.accept(applicationId, drafts, {
          idempotency: call.claim(),
          trace: call.trace(),
          withSuppressed: true,
        });
        return acceptedAnswer(accepted, false);
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/messages',
      operationId: 'listMessages',
      tag,
      summary: 'List messages',
      description: 'Newest first. A filter without matches gives an empty list.',
      query: [...PAGING, ...FILTERS],
      evenDisabled: true,
      success: { status: 200, description: 'A page of messages.', schema: listOf(MessageSchema) },
      async handle(call) {
        const { applicationId } = call.caller;
        const { filter, unmatchable } = await readFilter(call.query, store, applicationId);
        const page =
          unmatchable.length === 0
            ? await store.messages.list(applicationId, filter, pageRequest(call.query))
            : { items: [], older: false, newer: false };
        return listAnswer(call, '/1/messages', page, (item) => messageJson(item));
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/messages/:id',
      operationId: 'getMessage',
      tag,
      summary: 'Get a message',
      description:
        '`waiting` says why a queued message is not being sent, and until when; `error` has the last error and what to do.',
      evenDisabled: true,
      success: {
        status: 200,
        description: 'The message and its state.',
        schema: MessageDetailSchema,
      },
      problems: ['not_found'],
      async handle(call) {
        return { status: 200, text: await detail(call.caller.applicationId, pathId(call)) };
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/messages/:id/attempts',
      operationId: 'listMessageAttempts',
      tag,
      summary: 'List the attempts to send a message',
      description: 'Oldest first. Secrets are masked.',
      evenDisabled: true,
      success: {
        status: 200,
        description: 'The last hundred attempts.',
        schema: listOf(AttemptSchema),
      },
      problems: ['not_found'],
      async handle(call) {
        const message = await store.messages.get(call.caller.applicationId, pathId(call));
        if (!message) throw gone();
        const attempts = await store.attempts.list(message);
        const { applicationId, id, route } = message;
        const routes = route === null ? [] : await store.routes.list(applicationId, id);
        return ok({ data: attempts.map((attempt) => attemptView(attempt, routes)) });
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/messages/:id/resend',
      operationId: 'resendMessage',
      tag,
      summary: 'Resend a message',
      description:
        "Puts a failed, uncertain, canceled, expired or suppressed message at the end of its recipient's queue. Parts that were sent are not repeated, unless the channel reported that they did not arrive.",
      body: ResendBody,
      bodyOptional: true,
      example: { route: 0 },
      success: {
        status: 202,
        description: 'Queued again.',
        schema: AcceptedSchema,
        headers: ['Location'],
      },
      problems: ['not_found', 'message_unsettled', 'no_integration'],
      async handle(call) {
        const { applicationId } = call.caller;
        const id = pathId(call);
        const about = aboutMessage(id, applicationId);
        const entry = await audit.byPerson(call.caller, 'message.resent', about);
        const now = clock.now();
        const restart = await restartOf(applicationId, id, call.body?.route ?? undefined, now);
        const change = await store.lanes.resend(applicationId, id, now, entry, restart);
        if (!change) throw gone();
        if (!change.changed) throw cannotResend(change.state);
        delivery.wake(change.integrationId);
        const message = await store.messages.get(applicationId, id);
        if (!message) throw gone();
        return acceptedAnswer([{ ...message, state: 'queued', sendAt: null }], true);
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/messages/:id/retry',
      operationId: 'retryMessage',
      tag,
      summary: 'Retry a message now',
      description:
        'Makes a message that waits for its next attempt (`waiting.reason` is `retry`) due at once. If that attempt fails, the retry schedule continues.',
      success: { status: 202, description: 'Due now.', schema: MessageDetailSchema },
      problems: ['not_found', 'message_not_waiting'],
      async handle(call) {
        const { applicationId } = call.caller;
        const id = pathId(call);
        const about = aboutMessage(id, applicationId);
        const entry = await audit.byPerson(call.caller, 'message.retried', about);
        const change = await store.lanes.retry(applicationId, id, clock.now(), entry);
        if (!change) throw gone();
        if (!change.changed) {
          const why = `the message is ${change.state} and not waiting for a retry`;
          throw new Problem('message_not_waiting', why);
        }
        delivery.wake(change.integrationId);
        return { status: 202, text: await detail(applicationId, id) };
      },
    }),
    applicationRoute({
      method: 'DELETE',
      path: '/1/messages/:id',
      operationId: 'cancelMessage',
      tag,
      summary: 'Cancel a message',
      description:
        'Works until the message is being sent, and again while it is `uncertain`. Of a message with routes, the remaining ones are dropped; it is `canceled` unless one of them had sent it. Canceling twice is not an error.',
      evenDisabled: true,
      success: { status: 204, description: 'Canceled, or already canceled.' },
      problems: ['not_found', 'message_settled'],
      async handle(call) {
        const { applicationId } = call.caller;
        const id = pathId(call);
        const about = aboutMessage(id, applicationId);
        const entry = await audit.byPerson(call.caller, 'message.canceled', about);
        const change = await store.lanes.cancel(applicationId, id, clock.now(), entry);
        if (!change) throw gone();
        if (change.changed) {
          const { integrationId, isKept = false } = change;
          if (!isKept) stats.count({ applicationId, integrationId }, 'canceled');
          delivery.wake(integrationId);
          feed.changed(applicationId);
        } else if (change.state !== 'canceled') {
          throw new Problem('message_settled', `the message is already ${change.state}`);
        }
        return noContent;
      },
    }),
  ];
}

/** A message with its instructions. `at` locates it in the request. */
export function draftOf(body: Static<typeof Single>, json: string, at: string): Draft {
  const { message: activity, send_at: sendAt, options, template, outside_window, routes } = body;
  const pointer = `${at}/message`;
  const hasTemplate = template !== undefined || routes?.every((route) => route.template);
  checkActivity(activity, pointer, hasTemplate);
  checkMembers(body, at);
  return {
    activity,
    text: rawMember(json, body, 'message'),
    pointer,
    options,
    optionsPointer: `${at}/options`,
    sendAt,
    sendAtPointer: `${at}/send_at`,
    category: body.category ?? undefined,
    template: template && templateOf(template),
    outsideWindow: outside_window && templateOf(outside_window),
    routes: routes?.map(routeOf),
    base: at,
  };
}

function cannotResend(state: MessageState | 'orphaned'): Problem {
  if (state === 'orphaned') {
    return new Problem('no_integration', 'the integration of the message was deleted');
  }
  return new Problem('message_unsettled', `the message is ${state}`);
}
