import { type InfiniteData, infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';

import { type Page, api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { useFeed } from '../api/realtime.ts';
import type { FeedEvent } from '../api/types.ts';
import { useLiveApplication } from '../applications/queries.ts';
import { typesOf } from './event-type.ts';

const PAGE_SIZE = 100;
/** Events are batched for this long before rendering, in milliseconds. */
const BATCH_MS = 300;
/** With more new events than this, the list is reloaded instead. */
const MAX_NEW_EVENTS = 2_000;

type Pages = InfiniteData<Page<FeedEvent>, number | undefined>;

const feedQuery = (application: number, type: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['application', application, 'events', 'list', type ?? ''],
    // Events never change, and new ones arrive over the socket.
    staleTime: Infinity,
    gcTime: 0,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.list<FeedEvent>('/1/events', {
        application,
        query: { order: 'desc', limit: PAGE_SIZE, before: pageParam, type },
        signal,
      }),
    getNextPageParam: ({ next }) => next,
  });

/** The feed, newest first. New events are shown at once while `live`, and otherwise counted. */
export function useEvents(application: number, type: string | undefined, live: boolean) {
  const query = useInfiniteQuery(feedQuery(application, type));
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const events = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const buffered = useRef<FeedEvent[]>([]);
  const [unseen, setUnseen] = useState(0);

  // Searching for rare types returns partial pages, some of them empty.
  const isSearching = events.length === 0 && hasNextPage;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);

  function show() {
    const fresh = buffered.current.splice(0).toReversed();
    setUnseen(0);
    const { queryKey } = feedQuery(application, type);
    if (fresh.length >= MAX_NEW_EVENTS) void queryClient.resetQueries({ queryKey });
    else queryClient.setQueryData<Pages>(queryKey, (pages) => pages && withNew(pages, fresh));
  }

  useFeed(useLiveApplication(application), (event) => {
    const types = typesOf(type);
    if (types.length > 0 && !types.includes(event.type)) return;
    if (buffered.current.length < MAX_NEW_EVENTS) buffered.current.push(event);
  });

  useEffect(() => {
    const timer = setInterval(() => {
      if (buffered.current.length === 0) return;
      if (live) show();
      else setUnseen(buffered.current.length);
    }, BATCH_MS);
    return () => clearInterval(timer);
  });

  return { ...query, events, isPending: query.isPending || isSearching, unseen, show };
}

/** Prepends new events, without those that a page load already contained. */
function withNew(loaded: Pages, fresh: readonly FeedEvent[]): Pages {
  const newest = Math.max(0, ...loaded.pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const [first, ...rest] = loaded.pages;
  if (!first) return loaded;
  const items = [...fresh.filter(({ id }) => id > newest), ...first.items];
  return { ...loaded, pages: [{ ...first, items }, ...rest] };
}
