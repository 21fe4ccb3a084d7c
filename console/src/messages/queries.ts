import { queryOptions } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import type { AcceptedMessage, Activity, MessageDetail, MessageState } from '../api/types.ts';

/** States in which nothing more happens to a message, unless somebody does something. */
const SETTLED: ReadonlySet<MessageState> = new Set([
  'failed',
  'uncertain',
  'canceled',
  'expired',
  'read',
]);

export const isSettled = (state: MessageState) => SETTLED.has(state);

export const messageQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: ['application', application, 'messages', 'one', id],
    queryFn: ({ signal }) => api.get<MessageDetail>(`/1/messages/${id}`, { application, signal }),
  });

export function sendMessage(application: number, activity: Activity): Promise<AcceptedMessage> {
  return api.post<AcceptedMessage>(
    '/1/message',
    { message: activity },
    {
      application,
      idempotencyKey: crypto.randomUUID(),
    },
  );
}
