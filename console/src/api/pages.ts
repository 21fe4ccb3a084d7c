import { infiniteQueryOptions } from '@tanstack/react-query';

import { type CallOptions, type Page, api } from './client.ts';

/** A paged list of the API as an infinite query. */
export const pagesOptions = <Item>(
  queryKey: readonly unknown[],
  path: string,
  options: CallOptions = {},
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }): Promise<Page<Item>> =>
      api.list<Item>(path, {
        ...options,
        query: { ...options.query, starting_after: pageParam },
        signal,
      }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
  });
