import { useMutation } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { pagesOptions } from '../api/pages.ts';
import { queryClient } from '../api/query-client.ts';
import type { Pool } from '../api/types.ts';

const keyOf = (application: number) => ['application', application, 'pools'];

/** Newest first. */
export const poolsQuery = (application: number) =>
  pagesOptions<Pool>(keyOf(application), '/1/pools', { application, query: { limit: 100 } });

type PoolContent = Pick<Pool, 'name' | 'strategy' | 'failover_after' | 'members'>;

/** Creates a pool, or replaces the one with this id. */
export const useSavePool = (application: number, id: number | undefined) =>
  useMutation({
    mutationFn: async (pool: PoolContent): Promise<void> => {
      if (id === undefined) await api.post('/1/pools', pool, { application });
      else await api.put(`/1/pools/${id}`, pool, { application });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keyOf(application) }),
  });

export async function deletePool(application: number, id: number): Promise<void> {
  await api.delete(`/1/pools/${id}`, { application });
  await queryClient.invalidateQueries({ queryKey: keyOf(application) });
}
