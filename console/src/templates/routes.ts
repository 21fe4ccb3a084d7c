import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute } from '../frame/routes.ts';

export const templatesRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/templates',
  component: lazyRouteComponent(() => import('./templates-page.tsx'), 'TemplatesPage'),
});

export const templateRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/templates/$template',
  component: lazyRouteComponent(() => import('./template-page.tsx'), 'TemplatePage'),
});
