import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute } from '../frame/routes.ts';
import { type SearchText, compact, numberIn } from '../frame/search.ts';

interface PlaygroundSearch {
  /** Selected integration. */
  integration?: number;
  /** Recipient id in the channel's format. */
  to?: string;
}

export const playgroundRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/playground',
  validateSearch: (search: SearchText): PlaygroundSearch =>
    compact({ integration: numberIn(search, 'integration'), to: search['to'] }),
  component: lazyRouteComponent(() => import('./playground-page.tsx'), 'PlaygroundPage'),
});
