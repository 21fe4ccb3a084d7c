import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute } from '../frame/routes.ts';
import { type SearchText, compact } from '../frame/search.ts';
import { type Ability, isAbility } from './abilities.ts';

export const integrationsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/integrations',
  component: lazyRouteComponent(() => import('./integrations-page.tsx'), 'IntegrationsPage'),
});

interface GallerySearch {
  /** Part of the channel name. */
  q?: string;
  /** Required capability. */
  can?: Ability;
}

export const galleryRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/integrations/new',
  validateSearch: ({ q, can }: SearchText): GallerySearch =>
    compact({ q, can: isAbility(can) ? can : undefined }),
  component: lazyRouteComponent(() => import('./gallery-page.tsx'), 'GalleryPage'),
});

export const newIntegrationRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/integrations/new/$channel',
  component: lazyRouteComponent(() => import('./form/new-page.tsx'), 'NewIntegrationPage'),
});

export const integrationRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/integrations/$integration',
  component: lazyRouteComponent(() => import('./integration-page.tsx'), 'IntegrationPage'),
});
