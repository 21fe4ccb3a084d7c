import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';

import { type Page, api } from '../api/client.ts';
import { pagesOptions } from '../api/pages.ts';
import { isNotFound } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import type { Application } from '../api/types.ts';

/* A team may have thousands of applications, so nothing here loads all of them. */

/** Query key of all lists of applications, which are fetched again after a change. */
export const APPLICATION_LISTS = ['applications'] as const;

/** One application; null if it does not exist. */
export const applicationQuery = (id: number) =>
  queryOptions({
    queryKey: ['application', id, 'record'],
    queryFn: async ({ signal }): Promise<Application | null> => {
      try {
        return await api.get<Application>(`/1/applications/${id}`, { signal });
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
  });

/** Caches each application of a list for the pages that show one of them. */
function cacheEach(page: Page<Application>): Page<Application> {
  for (const application of page.items) {
    queryClient.setQueryData(applicationQuery(application.id).queryKey, application);
  }
  return page;
}

const MAX_RESULTS = 50;

/** The newest applications whose name contains the text, or whose id equals it. */
export const applicationSearchQuery = (text: string) =>
  queryOptions({
    queryKey: [...APPLICATION_LISTS, 'found', text],
    queryFn: async ({ signal }) => {
      const find = (search: string) =>
        api.list<Application>('/1/applications', { query: { search, limit: MAX_RESULTS }, signal });
      // The application with this id comes first, before those with the number in their name.
      const [exact, matches] = await Promise.all([
        idIn(text) === undefined ? undefined : find(`#${text}`),
        find(text),
      ]);
      const first = exact?.items ?? [];
      const rest = matches.items.filter(({ id }) => id !== first[0]?.id);
      return cacheEach({ ...matches, items: [...first, ...rest] });
    },
    placeholderData: keepPreviousData,
  });

const newestApplicationsQuery = applicationSearchQuery('');

/** The applications that match a search, page by page. */
export const applicationPagesQuery = (text: string) => ({
  ...pagesOptions<Application>([...APPLICATION_LISTS, 'pages', text], '/1/applications', {
    query: { search: text },
  }),
  placeholderData: keepPreviousData,
});

/** An application by its id: undefined while it loads, null if it does not exist. */
export function useApplicationById(id: number | undefined): Application | null | undefined {
  const { data } = useQuery({ ...applicationQuery(id ?? 0), enabled: id !== undefined });
  return id === undefined ? undefined : data;
}

/** An application whose feed can be followed; undefined while it is disabled or not loaded. */
export function useLiveApplication(id: number | undefined): number | undefined {
  const application = useApplicationById(id);
  return application?.state === 'enable' ? application.id : undefined;
}

const LAST_APPLICATION_KEY = 'switchboard.application';

export function rememberApplication(id: number): void {
  localStorage.setItem(LAST_APPLICATION_KEY, String(id));
}

export function forgetLastApplication(id: number): void {
  if (lastId() === id) localStorage.removeItem(LAST_APPLICATION_KEY);
}

/** The id that the text is; undefined for other texts, since a path may contain any. */
export const idIn = (text: string | null | undefined): number | undefined =>
  text && /^\d{1,16}$/.test(text) ? Number(text) : undefined;

const lastId = () => idIn(localStorage.getItem(LAST_APPLICATION_KEY));

/** Loads the application used last, or else the newest. */
export async function loadLastApplication(): Promise<Application | undefined> {
  const id = lastId();
  const last =
    id === undefined
      ? null
      : await queryClient.query({ ...applicationQuery(id), staleTime: 'static' });
  if (last) return last;
  const { items } = await queryClient.query({ ...newestApplicationsQuery, staleTime: 'static' });
  return items[0];
}

/**
 * The application in the path or search parameters; on pages without one, the application used last, or else the
 * newest. `isPending` while it is unknown.
 */
export function useCurrentApplication(requested?: number) {
  const { application } = useParams({ strict: false });
  const id = idIn(application) ?? requested ?? lastId();
  const found = useApplicationById(id);
  const isMissing = id === undefined || found === null;
  const newest = useQuery({ ...newestApplicationsQuery, enabled: isMissing });
  const current = found ?? (isMissing ? newest.data?.items[0] : undefined);
  return { current, isPending: !current && !(isMissing && newest.data) };
}
