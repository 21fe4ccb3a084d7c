import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute } from '../frame/routes.ts';
import { type SearchText, compact } from '../frame/search.ts';

interface ConversationsSearch {
  /** The beginning of a name, an address or an external id. */
  q?: string;
}

/** The list; on wide screens it stays beside the opened conversation. */
const conversationsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/conversations',
  validateSearch: ({ q }: SearchText): ConversationsSearch => compact({ q }),
  component: lazyRouteComponent(() => import('./conversations-page.tsx'), 'ConversationsPage'),
});

const conversationRoute = createRoute({
  getParentRoute: () => conversationsRoute,
  path: '/$conversation',
});

export const conversationsTree = conversationsRoute.addChildren([conversationRoute]);
