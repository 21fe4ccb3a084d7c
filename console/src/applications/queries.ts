import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';

import { api } from '../api/client.ts';
import type { Application } from '../api/types.ts';

/** All applications of the team, newest first. */
export const applicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: async ({ signal }) => {
    const page = await api.list<Application>('/1/applications', { query: { limit: 1000 }, signal });
    return page.items;
  },
});

/** An application whose feed can be followed; undefined while it is disabled or not loaded. */
export function useLiveApplication(application: number | undefined): number | undefined {
  const { data = [] } = useQuery(applicationsQuery);
  return data.find(({ id, state }) => id === application && state === 'enable')?.id;
}

const LAST_APPLICATION_KEY = 'switchboard.application';

export function rememberApplication(id: number): void {
  localStorage.setItem(LAST_APPLICATION_KEY, String(id));
}

/** The application used last, or else the newest. */
export function lastApplication(applications: readonly Application[]): Application | undefined {
  const last = Number(localStorage.getItem(LAST_APPLICATION_KEY));
  return applications.find(({ id }) => id === last) ?? applications[0];
}

/**
 * The application in the path or search parameters; on pages without one, the application used last.
 */
export function useCurrentApplication(requested?: number): Application | undefined {
  const { application = requested === undefined ? undefined : String(requested) } = useParams({
    strict: false,
  });
  const { data = [] } = useQuery(applicationsQuery);
  return data.find(({ id }) => String(id) === application) ?? lastApplication(data);
}
