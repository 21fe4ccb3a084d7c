import { useMutation } from '@tanstack/react-query';

import { type Page, api } from '../api/client.ts';
import { pagesOptions } from '../api/pages.ts';
import { queryClient } from '../api/query-client.ts';
import type { Key, NewKey, Token } from '../api/types.ts';

/* Keys of an application. Each token has its own key, which is deleted with it. */

export const keysQuery = (application: number) =>
  pagesOptions<Key>(['application', application, 'keys'], '/1/keys/applications', {
    query: { resource_id: application, limit: 100 },
  });

const refetchKeys = (application: number) =>
  queryClient.invalidateQueries({ queryKey: keysQuery(application).queryKey });

const labeled = (label: string) => (label.trim() === '' ? {} : { label: label.trim() });

export const useCreateToken = (application: number) =>
  useMutation({
    mutationFn: ({ days, label }: { days: number; label: string }) =>
      api.post<Token>(`/1/applications/${application}/tokens`, { days, ...labeled(label) }),
    onSuccess: () => refetchKeys(application),
  });

export const useCreateKey = (application: number) =>
  useMutation({
    mutationFn: (label: string) =>
      api.post<NewKey>('/1/keys/applications', {
        resource_id: application,
        state: 'enable',
        ...labeled(label),
      }),
    onSuccess: () => refetchKeys(application),
  });

export async function revokeKey(application: number, id: number): Promise<void> {
  await api.delete(`/1/keys/applications/${id}`);
  const without = (page: Page<Key>) => ({
    ...page,
    items: page.items.filter((key) => key.id !== id),
  });
  queryClient.setQueryData(
    keysQuery(application).queryKey,
    (known) => known && { ...known, pages: known.pages.map(without) },
  );
}
