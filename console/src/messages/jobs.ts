import { queryOptions, useMutation } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import type { Job, ResendPreview } from '../api/types.ts';
import { compact } from '../frame/search.ts';
import { type MessageFilter, filterQuery, statesOf } from './filter.ts';
import { canResend } from './queries.ts';

/* Bulk operations on messages. */

const POLL_INTERVAL_MS = 1_000;

const keyOf = (application: number) => ['application', application, 'jobs'];

export const isFinished = ({ finished_at }: Job) => finished_at !== null;

/** Number of messages processed so far. */
export const processedCount = ({ done, skipped }: Job) =>
  done + skipped.no_integration + skipped.changed;

/** Narrows a filter to states that can be resent; undefined if there are none. */
export function resendFilter(filter: MessageFilter): object | undefined {
  const chosen = statesOf(filter);
  const states = chosen.filter(canResend);
  if (chosen.length > 0 && states.length === 0) return undefined;
  return compact({ ...filterQuery(filter), state: states.join(',') });
}

/** Number of messages that would be resent. */
export const previewQuery = (application: number, filter: MessageFilter) =>
  queryOptions({
    queryKey: [...keyOf(application), 'preview', filter],
    queryFn: ({ signal }) =>
      api.post<ResendPreview>(
        '/1/messages/resend',
        { filter: resendFilter(filter) },
        { application, query: { dry_run: true }, signal },
      ),
    staleTime: 0,
  });

/** Recent jobs, polled while one is running. */
export const jobsQuery = (application: number) =>
  queryOptions({
    queryKey: [...keyOf(application), 'list'],
    queryFn: async ({ signal }) =>
      (await api.list<Job>('/1/jobs', { application, query: { limit: 10 }, signal })).items,
    refetchInterval: ({ state }) =>
      state.data?.every(isFinished) === false ? POLL_INTERVAL_MS : false,
  });

export const jobQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: [...keyOf(application), 'one', id],
    queryFn: ({ signal }) => api.get<Job>(`/1/jobs/${id}`, { application, signal }),
    refetchInterval: ({ state }) =>
      state.data && !isFinished(state.data) ? POLL_INTERVAL_MS : false,
  });

const refetchJobs = (application: number) =>
  queryClient.invalidateQueries({ queryKey: keyOf(application) });

export const startResend = async (application: number, filter: MessageFilter): Promise<Job> => {
  const job = await api.post<Job>(
    '/1/messages/resend',
    { filter: resendFilter(filter) },
    { application, idempotencyKey: crypto.randomUUID() },
  );
  queryClient.setQueryData(jobQuery(application, job.id).queryKey, job);
  void refetchJobs(application);
  return job;
};

export const useCancelJob = (application: number, id: number) =>
  useMutation({
    mutationFn: () => api.delete(`/1/jobs/${id}`, { application }),
    onSettled: () => refetchJobs(application),
  });
