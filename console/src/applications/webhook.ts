import { queryOptions, useMutation } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import type { Webhook, WebhookTest } from '../api/types.ts';

const pathOf = (application: number) => `/1/applications/${application}/webhook`;

export const webhookQuery = (application: number) =>
  queryOptions({
    queryKey: ['application', application, 'webhook'],
    queryFn: ({ signal }) => api.get<Webhook>(pathOf(application), { signal }),
    // The number of waiting events changes on its own.
    refetchInterval: 10_000,
  });

/** Rotates the secret or resumes a paused webhook; both return the updated webhook. */
export function useWebhookCall(application: number, call: 'rotate' | 'resume') {
  return useMutation({
    mutationFn: () => api.post<Webhook>(`${pathOf(application)}/${call}`),
    onSuccess: (webhook) => queryClient.setQueryData(webhookQuery(application).queryKey, webhook),
  });
}

/** Sends a test event at once. */
export const useWebhookTest = (application: number) =>
  useMutation({
    mutationFn: () => api.post<WebhookTest>(`${pathOf(application)}/test`),
  });
