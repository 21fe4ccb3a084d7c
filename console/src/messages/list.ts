import { type InfiniteData, infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';

import { type Page, api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { useFeed } from '../api/realtime.ts';
import type { Message, MessageState } from '../api/types.ts';
import { useLiveApplication } from '../applications/queries.ts';
import { type MessageFilter, filterQuery } from './filter.ts';
import { STATES } from './state.tsx';

/** A small first page appears fast; scrolling further fetches larger ones. */
const FIRST_PAGE_SIZE = 100;
const PAGE_SIZE = 1_000;
const POLL_INTERVAL_MS = 2_500;
const PATCH_INTERVAL_MS = 250;

type Pages = InfiniteData<Page<Message>, number | undefined>;

const listKey = (application: number) => ['application', application, 'messages', 'list'];

const fetchPage = (
  application: number,
  filter: MessageFilter,
  after: number | undefined,
  signal?: AbortSignal,
) =>
  api.list<Message>('/1/messages', {
    application,
    query: {
      ...filterQuery(filter),
      limit: after === undefined ? FIRST_PAGE_SIZE : PAGE_SIZE,
      starting_after: after,
    },
    signal,
  });

const listQuery = (application: number, filter: MessageFilter) =>
  infiniteQueryOptions({
    queryKey: [...listKey(application), filter],
    // Old messages change only through events, and new ones are fetched at the top.
    staleTime: Infinity,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) => fetchPage(application, filter, pageParam, signal),
    getNextPageParam: (last) => last.next,
  });

/** The message log: state changes appear at once, new messages while `live`. */
export function useMessages(application: number, filter: MessageFilter, live: boolean) {
  const query = useInfiniteQuery(listQuery(application, filter));
  const { data } = query;
  const messages = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);

  const refreshTop = useCallback(async () => {
    const { queryKey } = listQuery(application, filter);
    if (!queryClient.getQueryData(queryKey)) return;
    const top = await fetchPage(application, filter, undefined);
    queryClient.setQueryData<Pages>(queryKey, (known) => known && withTop(known, top));
  }, [application, filter]);

  // Cached data may be old.
  useEffect(() => void refreshTop().catch(() => undefined), [refreshTop]);

  useEffect(() => {
    if (!live) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refreshTop().catch(() => undefined);
    }, POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [live, refreshTop]);

  // State changes are batched, because many may arrive at once.
  const changes = useRef(new Map<number, MessageState>());
  useEffect(() => {
    const timer = setInterval(() => {
      if (changes.current.size === 0) return;
      patch(application, changes.current);
      changes.current = new Map();
    }, PATCH_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [application]);

  useFeed(useLiveApplication(application), ({ data: eventData }) => {
    const change = stateChange(eventData);
    if (change) changes.current.set(change.id, change.state);
    if (live && change && change.id > (messages[0]?.id ?? 0))
      void refreshTop().catch(() => undefined);
  });

  return { ...query, messages };
}

/** Merges a newer first page with loaded ones. If there is a gap between them, only the new page is kept. */
function withTop(known: Pages, top: Page<Message>): Pages {
  const last = top.items.at(-1);
  const rest = known.pages.flatMap(({ items }) => items);
  const older = last ? rest.filter(({ id }) => id < last.id) : [];
  const overlaps = older.length < rest.length || top.next === undefined;
  if (!overlaps || older.length === 0 || top.next === undefined) {
    return { pages: [top], pageParams: [undefined] };
  }
  const next = known.pages.at(-1)?.next;
  return { pages: [top, { items: older, next }], pageParams: [undefined, last?.id] };
}

interface StateChange {
  id: number;
  state: MessageState;
}

/** State change of an outgoing message; undefined for other events. */
export function stateChange(data: unknown): StateChange | undefined {
  const { id, state } = (data ?? {}) as { id?: unknown; state?: unknown };
  if (typeof id !== 'number' || typeof state !== 'string') return undefined;
  return Object.hasOwn(STATES, state) ? { id, state: state as MessageState } : undefined;
}

function patch(application: number, states: ReadonlyMap<number, MessageState>): void {
  queryClient.setQueriesData<Pages>({ queryKey: listKey(application) }, (known) => {
    if (!known?.pages.some(({ items }) => items.some(({ id }) => states.has(id)))) return known;
    // Unchanged pages keep their identity, so that React does not render them again.
    const pages = known.pages.map((page) => {
      if (!page.items.some(({ id }) => states.has(id))) return page;
      return { ...page, items: page.items.map((each) => withState(each, states.get(each.id))) };
    });
    return { ...known, pages };
  });
}

const withState = (message: Message, state: MessageState | undefined): Message =>
  state === undefined ? message : { ...message, state };
