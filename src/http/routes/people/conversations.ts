import type { Id } from '../../../model/id.ts';
import type { Conversation } from '../../../model/people/conversation.ts';
import { Problem } from '../../../model/problem.ts';
import { ConversationEntrySchema, ConversationSchema } from '../../openapi/conversation-schemas.ts';
import { listOf } from '../../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../../paging.ts';
import {
  type Route,
  applicationRoute,
  noContent,
  notFound,
  ok,
  pathId,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { conversationViews, placesOf } from '../../views/conversations.ts';
import { timelineOf } from '../../views/timeline.ts';

const tag = 'Conversations';
const gone = () => notFound('the conversation');
const path = '/1/conversations';

/** Who wrote or was written to, and what was said in both directions. */
export function conversationRoutes({ store, clock, projection }: Services): Route[] {
  /** Everything up to now is in the conversations afterwards. */
  async function upToDate(applicationId: Id): Promise<void> {
    if (await projection.catchUp(applicationId)) return;
    throw new Problem('conversations_building', 'the conversations are being built', {
      headers: { 'retry-after': '1' },
    });
  }

  async function find(applicationId: Id, id: Id): Promise<Conversation> {
    await upToDate(applicationId);
    const conversation = await store.conversations.get(applicationId, id);
    if (!conversation) throw gone();
    return conversation;
  }

  return [
    applicationRoute({
      method: 'GET',
      path,
      operationId: 'listConversations',
      tag,
      summary: 'List conversations',
      description:
        'One per integration and recipient, those with the newest message first. A message to somebody new appears once it is sent. With `contact_id`, those of one contact.',
      query: [
        ...PAGING,
        {
          name: 'contact_id',
          description: 'Only those of this contact.',
          schema: { type: 'integer', format: 'int64' },
        },
      ],
      evenDisabled: true,
      success: {
        status: 200,
        description: 'A page of conversations.',
        schema: listOf(ConversationSchema),
      },
      problems: ['conversations_building'],
      async handle(call) {
        const { applicationId } = call.caller;
        await upToDate(applicationId);
        const { contact_id: contactId = '' } = call.query;
        const page =
          contactId === ''
            ? await store.conversations.list(applicationId, pageRequest(call.query))
            : await ofContact(applicationId, contactId);
        const views = await conversationViews(store, applicationId, page.items, clock.now());
        return listAnswer(call, path, { ...page, items: views }, (one) => JSON.stringify(one));
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/conversations/:id',
      operationId: 'getConversation',
      tag,
      summary: 'Get a conversation',
      evenDisabled: true,
      success: { status: 200, description: 'The conversation.', schema: ConversationSchema },
      problems: ['not_found', 'conversations_building'],
      async handle(call) {
        const { applicationId } = call.caller;
        const conversation = await find(applicationId, pathId(call));
        const [view] = await conversationViews(store, applicationId, [conversation], clock.now());
        return ok(view);
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/conversations/:id/messages',
      operationId: 'listConversationMessages',
      tag,
      summary: 'List the messages of a conversation',
      description:
        'Both directions, newest first: sent messages with their states, and the events of received ones.',
      query: [
        {
          name: 'limit',
          description: 'Maximum number of entries. Values out of range are clamped.',
          schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
        },
        {
          name: 'starting_after',
          description: 'The id of an entry: list those older than it.',
          schema: { type: 'string', examples: ['message:5615'] },
        },
      ],
      evenDisabled: true,
      success: {
        status: 200,
        description: 'A page of entries.',
        schema: listOf(ConversationEntrySchema),
      },
      problems: ['not_found', 'conversations_building'],
      async handle(call) {
        const { applicationId } = call.caller;
        const conversation = await find(applicationId, pathId(call));
        const { items, next } = await timelineOf(store, conversation, call.query, call.baseUrl());
        const text = `{"data":[${items.join(',')}]}`;
        if (next === undefined) return { status: 200, text };
        const query = new URLSearchParams({ ...definedOf(call.query), starting_after: next });
        const url = `${call.baseUrl()}${path}/${conversation.id}/messages?${query.toString()}`;
        return { status: 200, text, headers: { link: `<${url}>; rel="next"` } };
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/conversations/:id/read',
      operationId: 'readConversation',
      tag,
      summary: 'Mark a conversation as read',
      description: 'Sets `unread` to 0. The person is not told.',
      success: { status: 204, description: 'Marked.' },
      problems: ['not_found', 'conversations_building'],
      async handle(call) {
        const { applicationId } = call.caller;
        const { id } = await find(applicationId, pathId(call));
        await store.conversations.markRead(applicationId, id);
        return noContent;
      },
    }),
  ];

  async function ofContact(applicationId: Id, text: string) {
    const places = await placesOf(store, applicationId, text);
    const found = await store.conversations.at(applicationId, places);
    const items = found.toSorted((a, b) => b.lastAt - a.lastAt || b.id - a.id);
    return { items, older: false, newer: false };
  }
}

const definedOf = (query: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
