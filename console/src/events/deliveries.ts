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

/** What the deliveries are narrowed to. All of it is in the address. */
export interface DeliverySearch {
  shown?: DeliveryShown;
  /** The number of an event. */
  event?: number;
}

/** What people look for, and the states that it is. */
export const SHOWN = {
  waiting: { label: 'Waiting', states: 'queued,sending' },
  taken: { label: 'Taken', states: 'sent' },
  lost: { label: 'Not taken', states: 'failed,canceled,expired,uncertain' },
} as const;

export type DeliveryShown = keyof typeof SHOWN;

export const isShown = (text: string | undefined): text is DeliveryShown =>
  text !== undefined && Object.hasOwn(SHOWN, text);

export const deliveriesQuery = (application: number, { shown, event }: DeliverySearch = {}) =>
  pagesOptions<WebhookDelivery>(
    [...keyOf(application), 'list', shown, event],
    `${pathOf(application)}/deliveries`,
    { query: { limit: 50, state: shown && SHOWN[shown].states, event_id: event } },
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
