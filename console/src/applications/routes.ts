import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute, framedRoute } from '../frame/routes.ts';
import { type SearchText, compact } from '../frame/search.ts';

interface ApplicationsSearch {
  /** Part of a name, or an id. */
  q?: string;
}

export const applicationsRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/applications',
  validateSearch: ({ q }: SearchText): ApplicationsSearch => compact({ q }),
  component: lazyRouteComponent(() => import('./applications-page.tsx'), 'ApplicationsPage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings-frame.tsx'), 'SettingsFrame'),
});

const generalRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./general-page.tsx'), 'GeneralPage'),
});

const webhookRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/webhook',
  component: lazyRouteComponent(() => import('./webhook-page.tsx'), 'WebhookPage'),
});

const keysRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});

export const settingsTree = settingsRoute.addChildren([generalRoute, webhookRoute, keysRoute]);
