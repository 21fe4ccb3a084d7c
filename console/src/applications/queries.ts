import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';

import { api } from '../api/client.ts';
import type { Application } from '../api/types.ts';

/** All applications of the team, the most recent first. */
export const applicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: async ({ signal }) => {
    const page = await api.list<Application>('/1/applications', { query: { limit: 1000 }, signal });
    return page.items;
  },
});

/** An application that may be listened to; undefined while it is disabled, or not known yet. */
export function useLiveApplication(application: number | undefined): number | undefined {
  const { data = [] } = useQuery(applicationsQuery);
  return data.find(({ id, state }) => id === application && state === 'enable')?.id;
}

const LAST = 'switchboard.application';

export function rememberApplication(id: number): void {
  localStorage.setItem(LAST, String(id));
}

/** The one that was looked at last, or else the newest. */
export function lastApplication(applications: readonly Application[]): Application | undefined {
  const last = Number(localStorage.getItem(LAST));
  return applications.find(({ id }) => id === last) ?? applications[0];
}

/**
 * The application of this page, which its path or its search names; on pages that are of none, the one that was
 * looked at last.
 */
export function useCurrentApplication(asked?: number): Application | undefined {
  const { application = asked === undefined ? undefined : String(asked) } = useParams({
    strict: false,
  });
  const { data = [] } = useQuery(applicationsQuery);
  return data.find(({ id }) => String(id) === application) ?? lastApplication(data);
}
