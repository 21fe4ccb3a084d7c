import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute } from '../frame/routes.ts';

export const poolsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/pools',
  component: lazyRouteComponent(() => import('./pools-page.tsx'), 'PoolsPage'),
});
