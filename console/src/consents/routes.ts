import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute } from '../frame/routes.ts';
import { type SearchText, compact } from '../frame/search.ts';

interface ConsentsSearch {
  /** An address. */
  q?: string;
}

export const consentsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/consents',
  validateSearch: ({ q }: SearchText): ConsentsSearch => compact({ q }),
  component: lazyRouteComponent(() => import('./consents-page.tsx'), 'ConsentsPage'),
});
