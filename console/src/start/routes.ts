import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { framedRoute } from '../frame/routes.ts';

export interface StartSearch {
  /** The application to try. */
  application?: number;
}

export const startRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/start',
  validateSearch: (search: Record<string, unknown>): StartSearch =>
    typeof search['application'] === 'number' ? { application: search['application'] } : {},
  component: lazyRouteComponent(() => import('./start-page.tsx'), 'StartPage'),
});
