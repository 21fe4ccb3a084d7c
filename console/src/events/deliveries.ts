import { queryOptions, useMutation } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { pagesOptions } from '../api/pages.ts';
import { queryClient } from '../api/query-client.ts';
import type { Attempt, Webhook, WebhookDelivery } from '../api/types.ts';
import { webhookQuery } from '../applications/webhook.ts';

/* What was delivered to the webhook of an application. */

const pathOf = (application: number) => `/1/applications/${application}/webhook`;
const keyOf = (application: number) => ['application', application, 'deliveries'];

/** How often to look again while something may change. */
export const LOOK_EVERY = 3_000;

export const deliveriesQuery = (application: number) =>
  pagesOptions<WebhookDelivery>(
    [...keyOf(application), 'list'],
    `${pathOf(application)}/deliveries`,
    { query: { limit: 50 } },
  );

export const deliveryQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: [...keyOf(application), 'one', id],
    queryFn: ({ signal }) =>
      api.get<WebhookDelivery>(`${pathOf(application)}/deliveries/${id}`, { signal }),
  });

export const deliveryAttemptsQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: [...keyOf(application), 'attempts', id],
    queryFn: async ({ signal }) => {
      const path = `${pathOf(application)}/deliveries/${id}/attempts`;
      return (await api.list<Attempt>(path, { signal })).items;
    },
  });

const lookAgain = (application: number) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: keyOf(application) }),
    queryClient.invalidateQueries({ queryKey: webhookQuery(application).queryKey }),
  ]);

/** Delivers an event once more, after all that wait. */
export const useRedeliver = (application: number) =>
  useMutation({
    mutationFn: (delivery: number) =>
      api.post(`${pathOf(application)}/deliveries/${delivery}/resend`),
    onSuccess: () => lookAgain(application),
  });

/** Delivers everything since a moment (UTC, as the API writes it) once more. */
export const useRecover = (application: number) =>
  useMutation({
    mutationFn: (since: string) => api.post<Webhook>(`${pathOf(application)}/recover`, { since }),
    onSuccess: () => lookAgain(application),
  });
