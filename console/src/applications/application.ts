import { queryOptions, useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';

import { api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import type { Application, DeliverySettings, Policies } from '../api/types.ts';
import { toast } from '../ui/toast.tsx';
import {
  APPLICATION_LISTS,
  applicationQuery,
  forgetLastApplication,
  useApplicationById,
} from './queries.ts';

const route = getRouteApi('/app/framed/applications/$application');

/** Id of the application in the URL. */
export const useApplicationId = (): number => Number(route.useParams().application);

/** The application in the URL; undefined just after it is deleted. */
export function useApplication(): Application | undefined {
  return useApplicationById(useApplicationId()) ?? undefined;
}

export type ApplicationChange = Partial<Pick<Application, 'name' | 'state' | 'webhook_url'>>;

function patchCache(id: number, change: ApplicationChange): void {
  queryClient.setQueryData(
    applicationQuery(id).queryKey,
    (cached) => cached && { ...cached, ...change },
  );
}

/** Fetches an application again, and the lists that contain it. */
async function refetch(id: number): Promise<void> {
  await Promise.all(
    [applicationQuery(id).queryKey, APPLICATION_LISTS].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  );
}

/** Optimistic update: shows the change at once and reverts it on failure. */
export function useChangeApplication(id: number) {
  const { queryKey } = applicationQuery(id);
  return useMutation({
    mutationFn: (change: ApplicationChange) => api.put(`/1/applications/${id}`, change),
    onMutate: async (change) => {
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData(queryKey);
      if (change.state !== undefined) patchCache(id, change);
      return { before };
    },
    onError: (_error, _change, context) => queryClient.setQueryData(queryKey, context?.before),
    onSuccess: (_answer, change) => patchCache(id, change),
    onSettled: () => refetch(id),
  });
}

/** Enables or disables an application, and reports the result as a toast. */
export function useSetApplicationState() {
  return useMutation({
    mutationFn: ({ id, state }: Pick<Application, 'id' | 'state'>) =>
      state === 'disable'
        ? api.delete(`/1/applications/${id}/disable`)
        : api.put(`/1/applications/${id}`, { state }),
    onSuccess: (_answer, { id, state }) => {
      patchCache(id, { state });
      toast.ok(state === 'enable' ? 'Application enabled' : 'Application disabled');
      return refetch(id);
    },
  });
}

export async function deleteApplication(id: number): Promise<void> {
  await api.delete(`/1/applications/${id}`);
}

/** Call this only when no visible page needs the application any more. */
export function forgetApplication(id: number): void {
  forgetLastApplication(id);
  queryClient.removeQueries({ queryKey: ['application', id] });
  void queryClient.invalidateQueries({ queryKey: APPLICATION_LISTS });
}

export const deliveryQuery = (id: number) =>
  queryOptions({
    queryKey: ['application', id, 'delivery'],
    queryFn: ({ signal }) =>
      api.get<DeliverySettings>(`/1/applications/${id}/delivery`, { signal }),
  });

export function useChangeDelivery(id: number) {
  const { queryKey } = deliveryQuery(id);
  return useMutation({
    mutationFn: (settings: DeliverySettings) => api.put(`/1/applications/${id}/delivery`, settings),
    onMutate: (settings) => {
      const before = queryClient.getQueryData(queryKey);
      queryClient.setQueryData(queryKey, settings);
      return { before };
    },
    onError: (error, _settings, context) => {
      queryClient.setQueryData(queryKey, context?.before);
      toast.error(error);
    },
  });
}

export const policiesQuery = (id: number) =>
  queryOptions({
    queryKey: ['application', id, 'policies'],
    queryFn: ({ signal }) => api.get<Policies>(`/1/applications/${id}/policies`, { signal }),
  });

export function useChangePolicies(id: number) {
  const { queryKey } = policiesQuery(id);
  return useMutation({
    mutationFn: (consent: Partial<Policies['consent']>) =>
      api.put(`/1/applications/${id}/policies`, { consent }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey }),
  });
}

export function useChangeRetention(id: number) {
  const { queryKey } = policiesQuery(id);
  return useMutation({
    mutationFn: (days: number | null) =>
      api.put(`/1/applications/${id}/policies`, { retention: { days } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey }),
  });
}

export function useChangeQuietHours(id: number) {
  const { queryKey } = policiesQuery(id);
  return useMutation({
    mutationFn: (quietHours: Policies['quiet_hours']) =>
      api.put(`/1/applications/${id}/policies`, { quiet_hours: quietHours }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey }),
  });
}
