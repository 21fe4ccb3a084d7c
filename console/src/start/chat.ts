import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import type { FeedEvent, Integration, Message } from '../api/types.ts';
import { integrationsQuery } from '../integrations/queries.ts';
import { useSession } from '../session/session.ts';
import { VISITOR, newIdentityKey, signIdentity } from './identity.ts';

/** A web chat with an identity key, so that the guided start can sign in as its own visitor. */
const isUsable = ({ name, state, secret, address }: Integration) =>
  name === 'webmessenger' && state === 'enable' && secret !== undefined && address === undefined;

export function useTestChat(application: number | undefined) {
  const { data: integrations, isPending } = useQuery({
    ...integrationsQuery(application ?? 0),
    enabled: application !== undefined,
  });
  return {
    chat: integrations?.findLast(isUsable),
    isPending: application !== undefined && isPending,
  };
}

export function useCreateTestChat(application: number) {
  return useMutation({
    mutationFn: () =>
      api.post<Integration>(
        '/1/integrations',
        {
          application_id: application,
          name: 'webmessenger',
          state: 'enable',
          username: 'Test chat',
          secret: newIdentityKey(),
        },
        { application },
      ),
    onSuccess: () => queryClient.invalidateQueries(integrationsQuery(application)),
  });
}

/** The text of a message that the test visitor wrote in this chat; undefined for other events. */
export function replyIn({ type, data }: Pick<FeedEvent, 'type' | 'data'>): string | undefined {
  if (type !== 'message.received') return undefined;
  const { actor, object } = (data ?? {}) as {
    actor?: { id?: unknown };
    object?: { content?: unknown };
  };
  if (actor?.id !== VISITOR) return undefined;
  return typeof object?.content === 'string' ? object.content : undefined;
}

/** What was done on an earlier visit: the last message to the test visitor, and the last reply. */
const earlierQuery = (application: number, chat: number) =>
  queryOptions({
    queryKey: ['application', application, 'earlier-steps', chat],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const ask = { application, signal };
      const [messages, events] = await Promise.all([
        api.list<Message>('/1/messages', {
          ...ask,
          query: { integration_id: chat, to: VISITOR, limit: 1 },
        }),
        api.list<FeedEvent>('/1/events', {
          ...ask,
          query: { order: 'desc', type: 'message.received', limit: 10 },
        }),
      ]);
      return { sent: messages.items[0]?.id, reply: events.items.map(replyIn).find(Boolean) };
    },
  });

export function useEarlierSteps(application: number | undefined, chat: number | undefined) {
  const { data } = useQuery({
    ...earlierQuery(application ?? 0, chat ?? 0),
    enabled: application !== undefined && chat !== undefined,
  });
  return data;
}

/** Chat URL for the test visitor. The only place where the console fetches the key unmasked. */
const addressQuery = (application: number, id: number, name: string) =>
  queryOptions({
    queryKey: ['application', application, 'test-chat', id, name],
    staleTime: 60 * 60_000,
    queryFn: async ({ signal }) => {
      const { secret = '' } = await api.get<Integration>(`/1/integrations/${id}`, {
        application,
        signal,
      });
      return `/chat/${id}#identity=${await signIdentity(secret, name)}`;
    },
  });

export function useChatAddress(application: number, id: number) {
  const { user } = useSession();
  return useQuery(addressQuery(application, id, user.name));
}
