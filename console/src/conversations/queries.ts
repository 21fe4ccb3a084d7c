import {
  type QueryKey,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
} from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { parseExactly } from '../api/exact-json.ts';
import { ApiProblem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import type { Conversation, ConversationEntry } from '../api/types.ts';
import { type ListOrder, type LoadedPage, type LoadedPages, withTop } from './loaded-pages.ts';

/** A small first page appears fast; scrolling further fetches larger ones. */
const FIRST_PAGE_SIZE = 50;
const PAGE_SIZE = 500;
const ENTRIES_PER_PAGE = 50;
const MAX_RETRIES = 2;

const keyOf = (application: number) => ['application', application, 'conversations'];

/** The service is still reading the events of the application. */
export const isBuilding = (error: unknown): boolean =>
  error instanceof ApiProblem && error.code === 'conversations_building';

const retry = (count: number, error: unknown) =>
  isBuilding(error) || (count < MAX_RETRIES && error instanceof ApiProblem && error.status >= 502);

const fetchConversations = async (
  application: number,
  search: string,
  after: number | undefined,
  signal?: AbortSignal,
): Promise<LoadedPage<Conversation, number>> =>
  api.list<Conversation>('/1/conversations', {
    application,
    query: {
      search,
      limit: after === undefined && search === '' ? FIRST_PAGE_SIZE : PAGE_SIZE,
      starting_after: after,
    },
    signal,
  });

/** All conversations, newest message first, or the results of a search. */
export const conversationsQuery = (application: number, search: string) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(application), 'list', search],
    retry,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) => fetchConversations(application, search, pageParam, signal),
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    // The first page is fetched again when something changes.
    staleTime: Infinity,
  });

export const CONVERSATION_ORDER: ListOrder<Conversation> = {
  keyOf: ({ id }) => id,
  isOlder: (one, than) => one.last_at <= than.last_at,
  isUnchanged: (before, now) => before.last_at === now.last_at,
};

export const conversationQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: [...keyOf(application), 'one', id],
    retry,
    queryFn: ({ signal }) =>
      api.get<Conversation>(`/1/conversations/${id}`, { application, signal }),
  });

async function fetchEntries(
  application: number,
  id: number,
  after: string | undefined,
  signal?: AbortSignal,
): Promise<LoadedPage<ConversationEntry, string>> {
  const { text, cursor } = await api.listText(`/1/conversations/${id}/messages`, {
    application,
    query: { limit: ENTRIES_PER_PAGE, starting_after: after },
    signal,
  });
  const { data } = parseExactly(text) as { data: ConversationEntry[] };
  return { items: data, next: cursor };
}

/** Both directions, newest first. */
export const entriesQuery = (application: number, id: number) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(application), 'one', id, 'entries'],
    retry,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => fetchEntries(application, id, pageParam, signal),
    getNextPageParam: ({ next }) => next,
    staleTime: Infinity,
  });

export const ENTRY_ORDER: ListOrder<ConversationEntry> = {
  keyOf: ({ id }) => id,
  isOlder: (one, than) => one.at <= than.at,
  isUnchanged: () => true,
};

/** Fetches the first page of a list again; true if the list is not loaded, or is now up to date. */
async function refreshTop<Item, Cursor>(
  queryKey: QueryKey,
  order: ListOrder<Item>,
  fetchTop: () => Promise<LoadedPage<Item, Cursor>>,
): Promise<boolean> {
  // A fetch in progress would replace the list with one that lacks the new items.
  if (queryClient.isFetching({ queryKey, exact: true }) > 0) return false;
  if (queryClient.getQueryData(queryKey) === undefined) return true;
  const top = await fetchTop();
  if (queryClient.isFetching({ queryKey, exact: true }) > 0) return false;
  queryClient.setQueryData<LoadedPages<Item, Cursor>>(
    queryKey,
    (loaded) => loaded && withTop(loaded, top, order),
  );
  return true;
}

export const refreshConversations = (application: number, search: string) =>
  refreshTop(conversationsQuery(application, search).queryKey, CONVERSATION_ORDER, () =>
    fetchConversations(application, search, undefined),
  );

export const refreshEntries = (application: number, id: number) =>
  refreshTop(entriesQuery(application, id).queryKey, ENTRY_ORDER, () =>
    fetchEntries(application, id, undefined),
  );

const MAX_AGE_MS = 5_000;

/** Whether data from an earlier visit to the page may be outdated. */
export function isOutdated(application: number, search: string, opened: number | undefined) {
  const keys: QueryKey[] = [conversationsQuery(application, search).queryKey];
  if (opened !== undefined) keys.push(entriesQuery(application, opened).queryKey);
  return keys.some((key) => {
    const loadedAt = queryClient.getQueryState(key)?.dataUpdatedAt ?? 0;
    return loadedAt > 0 && loadedAt < Date.now() - MAX_AGE_MS;
  });
}

/** Refetches the conversation, such as its window, but not its messages. */
export const refreshConversation = (application: number, id: number) =>
  queryClient.invalidateQueries({
    queryKey: conversationQuery(application, id).queryKey,
    exact: true,
  });

/** Refetches the names of the conversations at the top of each list. */
export async function refreshNames(application: number): Promise<void> {
  const lists = queryClient.getQueryCache().findAll({ queryKey: [...keyOf(application), 'list'] });
  await Promise.all([
    queryClient.invalidateQueries({
      queryKey: [...keyOf(application), 'one'],
      predicate: ({ queryKey }) => !queryKey.includes('entries'),
    }),
    ...lists.map(({ queryKey }) => refreshConversations(application, String(queryKey.at(-1)))),
  ]);
}

/** Shows it as read in all lists. */
function patchRead(application: number, id: number): void {
  const read = (one: Conversation) => (one.id === id ? { ...one, unread: 0 } : one);
  queryClient.setQueriesData<LoadedPages<Conversation, number>>(
    { queryKey: [...keyOf(application), 'list'] },
    (loaded) =>
      loaded && {
        ...loaded,
        pages: loaded.pages.map((page) =>
          page.items.some((one) => one.id === id && one.unread > 0)
            ? { ...page, items: page.items.map(read) }
            : page,
        ),
      },
  );
  queryClient.setQueryData(conversationQuery(application, id).queryKey, (one) => one && read(one));
}

export const useMarkRead = (application: number) =>
  useMutation({
    mutationFn: (id: number) => api.post(`/1/conversations/${id}/read`, {}, { application }),
    onSuccess: (_nothing, id) => patchRead(application, id),
  });
