import { queryOptions, useMutation } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { pagesOptions } from '../api/pages.ts';
import { queryClient } from '../api/query-client.ts';
import type { Attempt, Webhook, WebhookDelivery } from '../api/types.ts';
import { webhookQuery } from '../applications/webhook.ts';

/* Deliveries to an application's webhook. */

const pathOf = (application: number) => `/1/applications/${application}/webhook`;
const keyOf = (application: number) => ['application', application, 'deliveries'];

/** Polling interval in milliseconds, while something may change. */
export const POLL_INTERVAL_MS = 3_000;

/** Filter of the deliveries, kept in the URL. */
export interface DeliverySearch {
  shown?: DeliveryFilter;
  /** Event id. */
  event?: number;
}

/** Filter options and the states that each includes. */
export const DELIVERY_FILTERS = {
  waiting: { label: 'Waiting', states: 'queued,sending' },
  delivered: { label: 'Delivered', states: 'sent' },
  failed: { label: 'Failed', states: 'failed,canceled,expired,uncertain' },
} as const;

export type DeliveryFilter = keyof typeof DELIVERY_FILTERS;

export const isDeliveryFilter = (text: string | undefined): text is DeliveryFilter =>
  text !== undefined && Object.hasOwn(DELIVERY_FILTERS, text);

export const deliveriesQuery = (application: number, { shown, event }: DeliverySearch = {}) =>
  pagesOptions<WebhookDelivery>(
    [...keyOf(application), 'list', shown, event],
    `${pathOf(application)}/deliveries`,
    { query: { limit: 50, state: shown && DELIVERY_FILTERS[shown].states, event_id: event } },
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

const refetchDeliveries = (application: number) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: keyOf(application) }),
    queryClient.invalidateQueries({ queryKey: webhookQuery(application).queryKey }),
  ]);

/** Redelivers an event, behind all waiting deliveries. */
export const useRedeliver = (application: number) =>
  useMutation({
    mutationFn: (delivery: number) =>
      api.post(`${pathOf(application)}/deliveries/${delivery}/resend`),
    onSuccess: () => refetchDeliveries(application),
  });

/** Redelivers all events since a time (UTC, in the API's format). */
export const useRecoverEvents = (application: number) =>
  useMutation({
    mutationFn: (since: string) => api.post<Webhook>(`${pathOf(application)}/recover`, { since }),
    onSuccess: () => refetchDeliveries(application),
  });
