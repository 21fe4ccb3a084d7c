import { type InfiniteData, infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';

import { type Page, api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { useFeed } from '../api/realtime.ts';
import type { Message, MessageState } from '../api/types.ts';
import { useLiveApplication } from '../applications/queries.ts';
import { type MessageFilter, filterQuery } from './filter.ts';
import { STATES } from './state.tsx';

/** What is in sight comes at once; whoever goes on is given more at a time. */
const FIRST = 100;
const NEXT = 1_000;
const LOOK_EVERY = 2_500;
const PATCH_EVERY = 250;

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
      limit: after === undefined ? FIRST : NEXT,
      starting_after: after,
    },
    signal,
  });

const listQuery = (application: number, filter: MessageFilter) =>
  infiniteQueryOptions({
    queryKey: [...listKey(application), filter],
    // What is old does not change but by events; what is new is looked for at the top.
    staleTime: Infinity,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) => fetchPage(application, filter, pageParam, signal),
    getNextPageParam: (last) => last.next,
  });

/** The log, page by page, and kept up to date: what changes at once, what is new while it is live. */
export function useMessages(application: number, filter: MessageFilter, live: boolean) {
  const query = useInfiniteQuery(listQuery(application, filter));
  const { data } = query;
  const messages = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);

  const lookAtTop = useCallback(async () => {
    const { queryKey } = listQuery(application, filter);
    if (!queryClient.getQueryData(queryKey)) return;
    const top = await fetchPage(application, filter, undefined);
    queryClient.setQueryData<Pages>(queryKey, (known) => known && withTop(known, top));
  }, [application, filter]);

  // It may have been left a while ago.
  useEffect(() => void lookAtTop().catch(() => undefined), [lookAtTop]);

  useEffect(() => {
    if (!live) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') lookAtTop().catch(() => undefined);
    }, LOOK_EVERY);
    return () => clearInterval(timer);
  }, [live, lookAtTop]);

  // Many may change at once; they are written down together.
  const changes = useRef(new Map<number, MessageState>());
  useEffect(() => {
    const timer = setInterval(() => {
      if (changes.current.size === 0) return;
      patch(application, changes.current);
      changes.current = new Map();
    }, PATCH_EVERY);
    return () => clearInterval(timer);
  }, [application]);

  useFeed(useLiveApplication(application), ({ data: happened }) => {
    const change = stateChange(happened);
    if (change) changes.current.set(change.id, change.state);
    if (live && change && change.id > (messages[0]?.id ?? 0))
      void lookAtTop().catch(() => undefined);
  });

  return { ...query, messages };
}

/** What was loaded, below a newer first page. Where the two do not meet, only the new one is sure. */
function withTop(known: Pages, top: Page<Message>): Pages {
  const last = top.items.at(-1);
  const rest = known.pages.flatMap(({ items }) => items);
  const older = last ? rest.filter(({ id }) => id < last.id) : [];
  const meets = older.length < rest.length || top.next === undefined;
  if (!meets || older.length === 0 || top.next === undefined) {
    return { pages: [top], pageParams: [undefined] };
  }
  const next = known.pages.at(-1)?.next;
  return { pages: [top, { items: older, next }], pageParams: [undefined, last?.id] };
}

interface StateChange {
  id: number;
  state: MessageState;
}

/** What an event says of a message that was sent from here; undefined when it is about something else. */
export function stateChange(data: unknown): StateChange | undefined {
  const { id, state } = (data ?? {}) as { id?: unknown; state?: unknown };
  if (typeof id !== 'number' || typeof state !== 'string') return undefined;
  return Object.hasOwn(STATES, state) ? { id, state: state as MessageState } : undefined;
}

function patch(application: number, states: ReadonlyMap<number, MessageState>): void {
  queryClient.setQueriesData<Pages>({ queryKey: listKey(application) }, (known) => {
    if (!known?.pages.some(({ items }) => items.some(({ id }) => states.has(id)))) return known;
    // What has not changed stays the same object, and is not drawn anew.
    const pages = known.pages.map((page) => {
      if (!page.items.some(({ id }) => states.has(id))) return page;
      return { ...page, items: page.items.map((each) => withState(each, states.get(each.id))) };
    });
    return { ...known, pages };
  });
}

const withState = (message: Message, state: MessageState | undefined): Message =>
  state === undefined ? message : { ...message, state };
