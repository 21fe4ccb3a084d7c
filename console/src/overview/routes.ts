import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute, framedRoute } from '../frame/routes.ts';
import { type SearchText, compact } from '../frame/search.ts';
import { isRange, type Range } from './range.ts';

export interface OverviewSearch {
  /** Default: one day. */
  range?: Range;
  channel?: string;
}

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
