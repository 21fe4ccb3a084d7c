import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import type { Sandbox, SandboxMessage } from '../api/types.ts';

/** Each event of the feed refetches the phone; polling is for changes without an event. */
const POLL_INTERVAL_MS = 3_000;
const MAX_POLL_INTERVAL_MS = 30_000;
const MAX_SHOWN = 100;

/** When the shown data last changed: equal data keeps its identity. */
const changedAt = new WeakMap<object, number>();

/** The longer nothing changes, the rarer the polls. */
function pollInterval({ state: { data } }: { state: { data: object | undefined } }): number {
  if (!data) return POLL_INTERVAL_MS;
  const since = changedAt.get(data) ?? Date.now();
  changedAt.set(data, since);
  return Math.min(Math.max(POLL_INTERVAL_MS, Date.now() - since), MAX_POLL_INTERVAL_MS);
}

const keyOf = (application: number, id: number) => ['application', application, 'sandbox', id];

export const sandboxQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: [...keyOf(application, id), 'state'],
    refetchInterval: pollInterval,
    queryFn: ({ signal }) => api.get<Sandbox>(`/1/sandbox/${id}`, { application, signal }),
  });

/** Refetches what the phones show and the faults. Files never change. */
const refetchSandbox = (application: number, id: number) =>
  queryClient.invalidateQueries({
    queryKey: keyOf(application, id),
    predicate: ({ queryKey }) => !queryKey.includes('file'),
  });

const REFETCH_DELAY_MS = 100;
const waiting = new Set<string>();

/** Refetches once for all events that arrive together. */
export function refetchSoon(application: number, id: number): void {
  const key = `${application}/${id}`;
  if (waiting.has(key)) return;
  waiting.add(key);
  setTimeout(() => {
    waiting.delete(key);
    void refetchSandbox(application, id);
  }, REFETCH_DELAY_MS);
}

/** A conversation, oldest first. */
export const conversationQuery = (application: number, id: number, address: string) =>
  queryOptions({
    queryKey: [...keyOf(application, id), 'messages', address],
    refetchInterval: pollInterval,
    queryFn: async ({ signal }) => {
      const query = { with: address, limit: MAX_SHOWN };
      const path = `/1/sandbox/${id}/messages`;
      const page = await api.list<SandboxMessage>(path, { application, query, signal });
      return page.items.toReversed();
    },
  });

/** Actions of a simulated person, by the name of the call. */
export function useAct(application: number, id: number) {
  return useMutation({
    mutationFn: ({ action, body }: { action: string; body: object }) =>
      api.post(`/1/sandbox/${id}/${action}`, body, { application }),
    onSettled: () => refetchSandbox(application, id),
  });
}

export function useBehave(application: number, id: number) {
  return useMutation({
    mutationFn: (behaviours: readonly { fault: string; to?: string; seconds?: number }[]) =>
      api.put(`/1/sandbox/${id}/behaviour`, { behaviours }, { application }),
    onSettled: () => refetchSandbox(application, id),
  });
}

/** A file of the phone as a data URL; undefined until it is loaded. */
export function useFile(application: number, id: number, file: string | undefined) {
  const { data } = useQuery({
    queryKey: [...keyOf(application, id), 'file', file],
    enabled: file !== undefined,
    staleTime: Infinity,
    queryFn: async ({ signal }) =>
      dataUrl(
        await api.blob(`/1/sandbox/${id}/files/${encodeURIComponent(file ?? '')}`, {
          application,
          signal,
        }),
      ),
  });
  return data;
}

function dataUrl(blob: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener('load', () =>
    resolve(typeof reader.result === 'string' ? reader.result : ''),
  );
  reader.addEventListener('error', () => reject(new Error('the file cannot be read')));
  reader.readAsDataURL(blob);
  return promise;
}
