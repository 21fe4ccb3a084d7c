import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute, framedRoute } from '../frame/routes.ts';
import { type SearchText, compact } from '../frame/search.ts';
import { type OverviewSearch, isRange } from './range.ts';

const readSearch = ({ range, channel }: SearchText): OverviewSearch =>
  compact({ range: isRange(range) ? range : undefined, channel });

export const overviewRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/overview',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
});

export const teamOverviewRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/overview',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'TeamOverviewPage'),
});
