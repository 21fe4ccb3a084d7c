import Type from 'typebox';

import type { Draft } from '../../accept/outbound.ts';
import { rawMember, rawMembers } from '../../lib/json.ts';
import { parseId } from '../../model/id.ts';
import { MESSAGE_STATES } from '../../model/message.ts';
import { Problem } from '../../model/problem.ts';
import { parseTimestamp } from '../../model/timestamp.ts';
import type { MessageFilter } from '../../store/messages.ts';
import { ActivitySchema, EXAMPLE_ACTIVITY, checkActivity } from '../activity.ts';
import type { Metrics } from '../metrics.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import {
  type Parameter,
  type Query,
  type Route,
  applicationRoute,
  noContent,
  notFound,
  pathId,
} from '../route.ts';
import { Id, Timestamp, datedFields, listOf } from '../schemas.ts';
import type { Services } from '../services.ts';
import { acceptedAnswer, messageJson } from '../views.ts';

const StateName = Type.Enum([...MESSAGE_STATES]);

const AcceptedSchema = Type.Object(
  {
    id: Id,
    state: Type.Literal('queued'),
    created_at: Timestamp,
    integration_id: Id,
    application_id: Id,
  },
  { title: 'AcceptedMessage' },
);

const MessageSchema = Type.Object(
  {
    ...datedFields,
    application_id: Id,
    integration_id: Id,
    state: StateName,
    to: Type.String({ description: 'The recipient, as the channel writes it.' }),
    message: Type.Unsafe<unknown>({ type: 'object', description: 'The activity, as it was sent.' }),
  },
  { title: 'Message' },
);

const Single = Type.Object({ message: ActivitySchema });
const Batch = Type.Object({
  messages: Type.Array(ActivitySchema, { minItems: 1, maxItems: 1000 }),
});
const BATCH_LIMIT = 8 * 1024 * 1024;

const FILTERS: readonly Parameter[] = [
  {
    name: 'state',
    description: 'Only messages in this state.',
    schema: { enum: [...MESSAGE_STATES] },
  },
  {
    name: 'integration_id',
    description: 'Only messages through this integration.',
    schema: { type: 'integer', format: 'int64' },
  },
  { name: 'to', description: 'Only messages to this recipient.', schema: { type: 'string' } },
  {
    name: 'created_after',
    description: 'Only messages accepted later than this, UTC.',
    schema: { type: 'string', examples: ['2026-11-15T00:00:00'] },
  },
  {
    name: 'created_before',
    description: 'Only messages accepted earlier than this, UTC.',
    schema: { type: 'string', examples: ['2026-11-16T00:00:00'] },
  },
];

const tag = 'Messages';
const gone = () => notFound('the message');

const ROUTING_PROBLEMS = [
  'no_integration',
  'integration_disabled',
  'integration_incomplete',
  'overloaded',
] as const;

export function messageRoutes({ store, clock, outbound }: Services, metrics: Metrics): Route[] {
  return [
    applicationRoute({
      method: 'POST',
      path: '/1/message',
      tag,
      summary: 'Send a message',
      description:
        'Answers once the message is on disk. `generator.id` names the integration by its id, or `generator.name` the channel; with a single integration neither is needed. `to.id` is the recipient as the channel writes it.',
      body: Single,
      example: { message: EXAMPLE_ACTIVITY },
      success: {
        status: 202,
        description: 'Accepted: it is stored and will be sent.',
        schema: AcceptedSchema,
        location: true,
      },
      problems: ROUTING_PROBLEMS,
      async handle(call) {
        refuseDryRun(call.query);
        const { message: activity } = call.body;
        checkActivity(activity, '/message');
        const text = rawMember(call.text, call.body, 'message');
        const draft: Draft = { activity, text, pointer: '/message' };
        const accepted = await outbound.accept(call.caller.applicationId, [draft], call.claim());
        metrics.accepted.inc();
        return acceptedAnswer(accepted, true);
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/messages',
      tag,
      summary: 'Send up to 1,000 messages',
      description:
        'All of them are accepted, or none. They are sent in the order in which they stand.',
      body: Batch,
      bodyLimit: BATCH_LIMIT,
      example: { messages: [EXAMPLE_ACTIVITY] },
      success: {
        status: 202,
        description: 'Accepted, in the order given.',
        schema: listOf(AcceptedSchema),
      },
      problems: ROUTING_PROBLEMS,
      async handle(call) {
        refuseDryRun(call.query);
        const { messages } = call.body;
        const texts = [...rawMembers(rawMember(call.text, call.body, 'messages')).values()];
        const drafts = messages.map((activity, i): Draft => {
          const pointer = `/messages/${i}`;
          checkActivity(activity, pointer);
          return { activity, text: texts[i] ?? '', pointer };
        });
        const accepted = await outbound.accept(call.caller.applicationId, drafts, call.claim());
        metrics.accepted.inc(accepted.length);
        return acceptedAnswer(accepted, false);
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/messages',
      tag,
      summary: 'List messages',
      description: 'The most recent first. A filter that nothing can match lists nothing.',
      query: [...PAGING, ...FILTERS],
      evenDisabled: true,
      success: { status: 200, description: 'A page of them.', schema: listOf(MessageSchema) },
      async handle(call) {
        const filter = readFilter(call.query);
        const page = filter
          ? await store.messages.list(call.caller.applicationId, filter, pageRequest(call.query))
          : { items: [], older: false, newer: false };
        return listAnswer(call, '/1/messages', page, messageJson);
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/messages/:id',
      tag,
      summary: 'Get a message',
      evenDisabled: true,
      success: {
        status: 200,
        description: 'The message and what became of it.',
        schema: MessageSchema,
      },
      problems: ['not_found'],
      async handle(call) {
        const message = await store.messages.get(call.caller.applicationId, pathId(call));
        if (!message) throw gone();
        return { status: 200, text: messageJson(message) };
      },
    }),
    applicationRoute({
      method: 'DELETE',
      path: '/1/messages/:id',
      tag,
      summary: 'Cancel a message',
      description: 'Only what is still queued can be canceled. Canceling twice is no error.',
      evenDisabled: true,
      success: { status: 204, description: 'Canceled, or canceled before.' },
      problems: ['not_found', 'message_settled'],
      async handle(call) {
        const { applicationId } = call.caller;
        const id = pathId(call);
        if (await store.messages.move(applicationId, id, 'canceled', clock.now())) return noContent;
        const message = await store.messages.get(applicationId, id);
        if (!message) throw gone();
        if (message.state === 'canceled') return noContent;
        throw new Problem('message_settled', `the message is ${message.state} already`);
      },
    }),
  ];
}

/** Better refused than taken for the real thing. */
function refuseDryRun(query: Query): void {
  if (query['dry_run'] === undefined || query['dry_run'] === 'false') return;
  throw new Problem('invalid_fields', 'dry_run is not there yet; nothing was accepted');
}

/** Lists never err: a filter that makes no sense matches nothing, which is what undefined says. */
function readFilter(query: Query): MessageFilter | undefined {
  const filter: MessageFilter = {};
  const { state: stateName, integration_id, to, created_after, created_before } = query;
  if (stateName !== undefined) {
    const state = MESSAGE_STATES.find((candidate) => candidate === stateName);
    if (!state) return undefined;
    filter.state = state;
  }
  if (integration_id !== undefined) {
    const integrationId = parseId(integration_id);
    if (!integrationId) return undefined;
    filter.integrationId = integrationId;
  }
  if (to !== undefined) {
    if (to.includes('\0')) return undefined;
    filter.recipient = to;
  }
  if (created_after !== undefined) {
    const at = parseTimestamp(created_after);
    if (at === undefined) return undefined;
    filter.createdAfter = at;
  }
  if (created_before !== undefined) {
    const at = parseTimestamp(created_before);
    if (at === undefined) return undefined;
    filter.createdBefore = at;
  }
  return filter;
}
