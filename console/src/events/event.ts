import { queryOptions } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { parseExactly } from '../api/exact-json.ts';
import type { FeedEvent } from '../api/types.ts';

export const eventQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: ['application', application, 'events', 'one', id],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const text = await api.text(`/1/events/${id}`, { application, signal });
      return parseExactly(text) as FeedEvent;
    },
  });
