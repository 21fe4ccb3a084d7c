import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { loadLastApplication } from '../applications/queries.ts';
import { framedRoute } from '../frame/routes.ts';
import { type SearchText, compact, numberIn } from '../frame/search.ts';

interface StartSearch {
  /** The application to test. */
  application?: number;
}

export const startRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/start',
  validateSearch: (search: SearchText): StartSearch =>
    compact({ application: numberIn(search, 'application') }),
  loader: () => loadLastApplication(),
  component: lazyRouteComponent(() => import('./start-page.tsx'), 'StartPage'),
});
