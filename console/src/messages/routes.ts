import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute } from '../frame/routes.ts';
import { readSearch } from './filter.ts';

export const messagesRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/messages',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./messages-page.tsx'), 'MessagesPage'),
});

export const jobRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/messages/jobs/$job',
  component: lazyRouteComponent(() => import('./job-page.tsx'), 'JobPage'),
});

export const messageRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/messages/$message',
  component: lazyRouteComponent(() => import('./message-page.tsx'), 'MessagePage'),
});
