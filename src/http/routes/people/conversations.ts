import type { Id } from '../../../model/id.ts';
import type { Conversation } from '../../../model/people/conversation.ts';
import { searchPrefix } from '../../../model/people/search-terms.ts';
import { Problem } from '../../../model/problem.ts';
import type { Page } from '../../../store/paging.ts';
import { ConversationEntrySchema, ConversationSchema } from '../../openapi/conversation-schemas.ts';
import { listOf } from '../../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../../paging.ts';
import {
  type Query,
  type Route,
  applicationRoute,
  noContent,
  notFound,
  ok,
  pathId,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';
import {
  conversationViews,
  conversationsOf,
  searchConversations,
} from '../../views/conversations.ts';
import { timelineOf } from '../../views/timeline.ts';

const tag = 'Conversations';
const gone = () => notFound('the conversation');
const path = '/1/conversations';
/** A search has one page. */
const MAX_FOUND = 100;

/** Conversations with people and groups, and their messages in both directions. */
export function conversationRoutes({ store, clock, projection }: Services): Route[] {
  /** Brings the conversations up to date; throws a Problem if that takes too long. */
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
        'One per integration and recipient, newest message first. A new recipient appears once a message to them was sent or has failed. `contact_id` lists the conversations of one contact, `search` those that match.',
      query: [
        ...PAGING,
        {
          name: 'contact_id',
          description: 'Only conversations of this contact.',
          schema: { type: 'integer', format: 'int64' },
        },
        {
          name: 'search',
          description:
            "The beginning of the address or name, or of the contact's name, address or external id. Finds at most 100.",
          schema: { type: 'string' },
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
        const page = await pageOf(applicationId, call.query);
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
      description: 'Sets `unread` to 0. The person gets no read receipt.',
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

  async function pageOf(applicationId: Id, query: Query): Promise<Page<Conversation>> {
    const { contact_id: contactId = '', search = '' } = query;
    const request = pageRequest(query);
    const prefix = searchPrefix(search.slice(0, 1_000));
    if (contactId === '' && prefix === '') return store.conversations.list(applicationId, request);
    const items =
      contactId === ''
        ? await searchConversations(
            store,
            applicationId,
            prefix,
            Math.min(request.limit, MAX_FOUND),
          )
        : await conversationsOf(store, applicationId, contactId);
    return { items, older: false, newer: false };
  }
}

const definedOf = (query: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
