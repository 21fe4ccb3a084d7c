import { queryOptions } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import type { Channel, Integration } from '../api/types.ts';

/** The catalogue. It changes with the version of the service only. */
export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  staleTime: Infinity,
  queryFn: async ({ signal }) => (await api.list<Channel>('/1/channels', { signal })).items,
});

/** The integrations of an application, the most recent first. Secrets are masked. */
export const integrationsQuery = (application: number) =>
  queryOptions({
    queryKey: ['application', application, 'integrations'],
    queryFn: async ({ signal }) => {
      const page = await api.list<Integration>(`/1/applications/${application}/integrations`, {
        application,
        query: { mask: true, limit: 1000 },
        signal,
      });
      return page.items;
    },
  });
