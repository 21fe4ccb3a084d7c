import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute, framedRoute } from '../frame/routes.ts';
import { type SearchText, compact } from '../frame/search.ts';
import { type OverviewSearch, isRange } from './range.ts';

const readSearch = ({ range, channel, mode }: SearchText): OverviewSearch =>
  compact({
    range: isRange(range) ? range : undefined,
    channel,
    mode: mode === 'live' || mode === 'sandbox' ? mode : undefined,
  });

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
