import { queryOptions, useMutation } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import type { Webhook, WebhookTrial } from '../api/types.ts';

/* The webhook of an application. */

const pathOf = (application: number) => `/1/applications/${application}/webhook`;

export const webhookQuery = (application: number) =>
  queryOptions({
    queryKey: ['application', application, 'webhook'],
    queryFn: ({ signal }) => api.get<Webhook>(pathOf(application), { signal }),
    // How many wait changes by itself.
    refetchInterval: 10_000,
  });

/** Makes a new secret, or goes on with one that is paused; both answer the webhook as it is then. */
export function useWebhookCall(application: number, call: 'rotate' | 'resume') {
  return useMutation({
    mutationFn: () => api.post<Webhook>(`${pathOf(application)}/${call}`),
    onSuccess: (webhook) => queryClient.setQueryData(webhookQuery(application).queryKey, webhook),
  });
}

/** Sends an event to it at once. */
export const useWebhookTrial = (application: number) =>
  useMutation({
    mutationFn: () => api.post<WebhookTrial>(`${pathOf(application)}/test`),
  });
