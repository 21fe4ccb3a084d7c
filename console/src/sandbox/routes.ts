import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute } from '../frame/routes.ts';
import { type SearchText, compact } from '../frame/search.ts';

interface PhoneSearch {
  /** The address of the person or room. */
  with?: string;
}

export const phoneRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/integrations/$integration/phone',
  validateSearch: (search: SearchText): PhoneSearch => compact({ with: search['with'] }),
  component: lazyRouteComponent(() => import('./phone-page.tsx'), 'PhonePage'),
});
