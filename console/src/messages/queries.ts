import { queryOptions, useMutation } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { parseExactly } from '../api/exact-json.ts';
import { queryClient } from '../api/query-client.ts';
import type {
  AcceptedMessage,
  Attempt,
  Message,
  MessageDetail,
  MessageState,
} from '../api/types.ts';
import type { SendAt } from './scheduled/send-at.ts';

/** Final states: nothing changes unless a user acts. */
const SETTLED: ReadonlySet<MessageState> = new Set([
  'failed',
  'uncertain',
  'canceled',
  'expired',
  'suppressed',
  'read',
]);

const RESENDABLE: ReadonlySet<MessageState> = new Set([
  'failed',
  'uncertain',
  'canceled',
  'expired',
  'suppressed',
]);

const CANCELABLE: ReadonlySet<MessageState> = new Set(['scheduled', 'queued', 'uncertain']);

export const isSettled = (state: MessageState) => SETTLED.has(state);
export const canResend = (state: MessageState) => RESENDABLE.has(state);
export const canCancel = (state: MessageState) => CANCELABLE.has(state);

const oneKey = (application: number, id: number) => [
  'application',
  application,
  'messages',
  'one',
  id,
];

export const messageQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: oneKey(application, id),
    queryFn: async ({ signal }) => {
      const text = await api.text(`/1/messages/${id}`, { application, signal });
      return parseExactly(text) as MessageDetail;
    },
  });

export const attemptsQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: [...oneKey(application, id), 'attempts'],
    queryFn: async ({ signal }) => {
      const page = await api.list<Attempt>(`/1/messages/${id}/attempts`, { application, signal });
      return page.items;
    },
  });

interface Lane {
  id: number;
  to: string;
  integration: number;
}

/** The messages next to this one in its lane: same recipient, same integration. */
export const adjacentMessagesQuery = (application: number, { id, to, integration }: Lane) =>
  queryOptions({
    queryKey: [...oneKey(application, id), 'adjacent', to, integration],
    queryFn: async ({ signal }) => {
      const one = async (cursor: { starting_after: number } | { ending_before: number }) => {
        const query = { to, integration_id: integration, limit: 1, ...cursor };
        return (await api.list<Message>('/1/messages', { application, query, signal })).items[0];
      };
      const [previous, next] = await Promise.all([
        one({ starting_after: id }),
        one({ ending_before: id }),
      ]);
      return { previous, next };
    },
  });

/** `body` is that of `POST /1/message`. */
export function sendMessage(
  application: number,
  body: { message: unknown },
): Promise<AcceptedMessage> {
  const key = { application, idempotencyKey: crypto.randomUUID() };
  return api.post<AcceptedMessage>('/1/message', body, key);
}

/** Refetches a message and its attempts. */
export const refetchMessage = (application: number, id: number) =>
  queryClient.invalidateQueries({ queryKey: oneKey(application, id) });

/** Resends a message on its routes; `route` is the first one to try again. */
export function useResend(application: number, id: number) {
  return useMutation({
    mutationFn: (route: number | undefined) =>
      api.post<AcceptedMessage>(`/1/messages/${id}/resend`, route === undefined ? {} : { route }, {
        application,
      }),
    onSettled: () => refetchMessage(application, id),
  });
}

export function useRetry(application: number, id: number) {
  return useMutation({
    mutationFn: () => api.post<MessageDetail>(`/1/messages/${id}/retry`, {}, { application }),
    onSettled: () => refetchMessage(application, id),
  });
}

export function useReschedule(application: number, id: number) {
  return useMutation({
    mutationFn: (sendAt: SendAt) =>
      api.put(`/1/messages/${id}`, { send_at: sendAt }, { application }),
    onSettled: () => refetchMessage(application, id),
  });
}

/** The content of a scheduled message, as in the body of `POST /1/message`. */
export interface ScheduledContent {
  message: unknown;
  template?: object;
  outside_window?: object;
}

export function useChangeContent(application: number, id: number) {
  return useMutation({
    mutationFn: (content: ScheduledContent) =>
      api.put(`/1/messages/${id}`, content, { application }),
    onSettled: () => refetchMessage(application, id),
  });
}

export function useCancel(application: number, id: number) {
  return useMutation({
    mutationFn: () => api.delete(`/1/messages/${id}`, { application }),
    onSettled: () => refetchMessage(application, id),
  });
}
