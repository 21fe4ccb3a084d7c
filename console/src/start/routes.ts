import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { queryClient } from '../api/query-client.ts';
import { applicationsQuery } from '../applications/queries.ts';
import { framedRoute } from '../frame/routes.ts';
import { type SearchText, compact, numberIn } from '../frame/search.ts';

export interface StartSearch {
  /** The application to test. */
  application?: number;
}

export const startRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/start',
  validateSearch: (search: SearchText): StartSearch =>
    compact({ application: numberIn(search, 'application') }),
  loader: () => queryClient.query({ ...applicationsQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./start-page.tsx'), 'StartPage'),
});
