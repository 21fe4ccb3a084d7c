import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute } from '../frame/routes.ts';
import { type SearchText, compact } from '../frame/search.ts';

interface ContactsSearch {
  /** The beginning of a name, an address or an external id. */
  q?: string;
}

export const contactsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/contacts',
  validateSearch: ({ q }: SearchText): ContactsSearch => compact({ q }),
  component: lazyRouteComponent(() => import('./contacts-page.tsx'), 'ContactsPage'),
});

export const contactRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/contacts/$contact',
  component: lazyRouteComponent(() => import('./contact-page.tsx'), 'ContactPage'),
});
