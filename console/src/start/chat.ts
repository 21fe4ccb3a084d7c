import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import type { Integration } from '../api/types.ts';
import { refetchIntegrations } from '../integrations/queries.ts';
import { useSession } from '../session/session.ts';
import { newIdentityKey, signIdentity } from './identity.ts';

/** A web chat with an identity key, so that the guided start can sign in as its own visitor. */
export const isTestChat = ({ name, state, secret, address }: Integration) =>
  name === 'webmessenger' && state === 'enable' && secret !== undefined && address === undefined;

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
    onSuccess: () => refetchIntegrations(application),
  });
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
