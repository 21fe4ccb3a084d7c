import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { framedRoute, rootRoute } from '../frame/routes.ts';
import type { SearchText } from '../frame/search.ts';
import { readAuditSearch } from './audit-filter.ts';

interface TeamSearch {
  /** Opens the invitation dialog. */
  invite?: true;
}

export const accountRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
});

export const teamRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/team',
  validateSearch: ({ invite }: SearchText): TeamSearch =>
    invite === 'true' ? { invite: true } : {},
  component: lazyRouteComponent(() => import('./team-page.tsx'), 'TeamPage'),
});

export const auditRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/team/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
});

/** For people who are not members yet. */
export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
});
