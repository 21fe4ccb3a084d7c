import { queryOptions, useMutation } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import type {
  Channel,
  ChannelGuide,
  CheckResult,
  Hook,
  IgnoredReport,
  Integration,
  IntegrationHealth,
  MessageOptions,
} from '../api/types.ts';
import type { ValueChanges, Values } from './form/fields.ts';

/** The channel catalog. It changes only with the version of the service. */
export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  staleTime: Infinity,
  queryFn: async ({ signal }) => (await api.list<Channel>('/1/channels', { signal })).items,
});

/** The setup guide of a channel, which changes only with the version too. */
export const guideQuery = (channel: string) =>
  queryOptions({
    queryKey: ['channels', channel, 'guide'],
    staleTime: Infinity,
    queryFn: ({ signal }) => api.get<ChannelGuide>(`/1/channels/${channel}/guide`, { signal }),
  });

/** Integrations that the console lists. Beyond that, an unlisted one may still exist. */
export const MAX_LISTED = 1000;

/** The integrations of an application, newest first, with masked secrets. */
export const integrationsQuery = (application: number) =>
  queryOptions({
    queryKey: ['application', application, 'integrations'],
    queryFn: async ({ signal }) => {
      const page = await api.list<Integration>(`/1/applications/${application}/integrations`, {
        application,
        query: { mask: true, limit: MAX_LISTED },
        signal,
      });
      return page.items;
    },
  });

/** One integration, with masked secrets. */
export const integrationQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: ['application', application, 'integrations', id],
    queryFn: ({ signal }) =>
      api.get<Integration>(`/1/integrations/${id}`, { application, query: { mask: true }, signal }),
  });

const POLL_INTERVAL_MS = 5_000;

export const hookQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: ['application', application, 'integrations', id, 'hook'],
    // The first request of the vendor shows that its setup works.
    refetchInterval: POLL_INTERVAL_MS,
    queryFn: ({ signal }) => api.get<Hook>(`/1/integrations/${id}/hook`, { application, signal }),
  });

/** Ignored reports: at most 100 kinds. */
export const ignoredQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: ['application', application, 'integrations', id, 'ignored'],
    queryFn: async ({ signal }) => {
      const path = `/1/integrations/${id}/ignored`;
      return (await api.list<IgnoredReport>(path, { application, signal })).items;
    },
  });

export const healthQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: ['application', application, 'integrations', id, 'health'],
    refetchInterval: POLL_INTERVAL_MS,
    queryFn: ({ signal }) =>
      api.get<IntegrationHealth>(`/1/integrations/${id}/health`, { application, signal }),
  });

/** Refetches all data of integrations. */
export async function refetchIntegrations(application: number): Promise<void> {
  const filters = { queryKey: ['application', application, 'integrations'] };
  // A first fetch in progress may have read the state before the change, and would not be repeated.
  await queryClient.cancelQueries(filters);
  await queryClient.invalidateQueries(filters);
}

export type CredentialCheck = CheckResult & { renewed: Values };

/** Checks credentials with the channel, without storing them. Those of the integration complete them. */
export function checkCredentials(
  application: number,
  channel: string,
  values: ValueChanges,
  integration?: number,
  signal?: AbortSignal,
): Promise<CredentialCheck> {
  const body = { ...values, ...(integration !== undefined && { integration_id: integration }) };
  return api.post<CredentialCheck>(`/1/channels/${channel}/check`, body, { application, signal });
}

/** Checks a stored integration. The result counts for its health. */
export async function checkStored(application: number, id: number): Promise<CredentialCheck> {
  const check = await api.post<CheckResult>(`/1/integrations/${id}/check`, {}, { application });
  await refetchIntegrations(application);
  return { ...check, renewed: {} };
}

/** Checks an integration in the background once more, because only a stored one remembers its account. */
export function learnAccount(application: number, id: number): void {
  // A failure changes nothing on this page: its health shows it.
  checkStored(application, id).catch(() => undefined);
}

export function useCreateIntegration(application: number, name: string) {
  return useMutation({
    mutationFn: (fields: Values & { label?: string; options?: MessageOptions }) =>
      api.post<Integration>(
        '/1/integrations',
        { application_id: application, name, state: 'enable', ...fields },
        { application },
      ),
    onSuccess: () => refetchIntegrations(application),
  });
}

/** Creates an integration whose vendor is simulated. */
export function useCreateSandbox(application: number) {
  return useMutation({
    mutationFn: (name: string) =>
      api.post<Integration>(
        '/1/integrations',
        { application_id: application, name, state: 'enable', mode: 'sandbox' },
        { application },
      ),
    onSuccess: () => refetchIntegrations(application),
  });
}

export type Change = ValueChanges & {
  state?: Integration['state'];
  /** Once: a sandbox integration goes live. */
  mode?: 'live';
  label?: string | null;
  options?: MessageOptions | null;
};

export function useChangeIntegration(application: number, { id, name }: Integration) {
  return useMutation({
    mutationFn: (change: Change) =>
      api.put(`/1/integrations/${id}`, { name, ...change }, { application }),
    onSettled: () => refetchIntegrations(application),
  });
}

export function useRegister(application: number, id: number) {
  return useMutation({
    mutationFn: () => api.post<Hook>(`/1/integrations/${id}/register`, {}, { application }),
    onSuccess: (hook) => {
      queryClient.setQueryData(hookQuery(application, id).queryKey, hook);
    },
    // Registering may store a new secret, even if the vendor then refuses.
    onSettled: () => refetchIntegrations(application),
  });
}
