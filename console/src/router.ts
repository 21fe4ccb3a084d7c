import { createRouter } from '@tanstack/react-router';

import { applicationsRoute, settingsTree } from './applications/routes.ts';
import { consentsRoute } from './consents/routes.ts';
import { contactRoute, contactsRoute } from './contacts/routes.ts';
import { conversationsTree } from './conversations/routes.ts';
import { deliveryRoute, eventRoute, eventsTree } from './events/routes.ts';
import { ErrorPage } from './frame/error-page.tsx';
import { NotFoundPage } from './frame/not-found-page.tsx';
import {
  appHomeRoute,
  appRoute,
  applicationRoute,
  framedRoute,
  homeRoute,
  rootRoute,
  signInRoute,
  welcomeRoute,
} from './frame/routes.ts';
import { parseSearch, stringifySearch } from './frame/search.ts';
import {
  galleryRoute,
  integrationRoute,
  integrationsRoute,
  newIntegrationRoute,
} from './integrations/routes.ts';
import { jobRoute, messageRoute, messagesRoute } from './messages/routes.ts';
import { overviewRoute, teamOverviewRoute } from './overview/routes.ts';
import { playgroundRoute } from './playground/routes.ts';
import { poolsRoute } from './pools/routes.ts';
import { phoneRoute } from './sandbox/routes.ts';
import { startRoute } from './start/routes.ts';
import { accountRoute, auditRoute, invitationRoute, teamRoute } from './team/routes.ts';
import { templateRoute, templatesRoute } from './templates/routes.ts';

/* All pages. Each feature defines its routes in its folder and has a line here. */

const tree = rootRoute.addChildren([
  homeRoute,
  signInRoute,
  invitationRoute,
  appRoute.addChildren([
    welcomeRoute,
    framedRoute.addChildren([
      appHomeRoute,
      startRoute,
      accountRoute,
      teamRoute,
      auditRoute,
      teamOverviewRoute,
      applicationsRoute,
      applicationRoute.addChildren([
        overviewRoute,
        conversationsTree,
        contactsRoute,
        contactRoute,
        messagesRoute,
        messageRoute,
        jobRoute,
        integrationsRoute,
        galleryRoute,
        newIntegrationRoute,
        integrationRoute,
        phoneRoute,
        poolsRoute,
        templatesRoute,
        templateRoute,
        eventsTree,
        eventRoute,
        deliveryRoute,
        consentsRoute,
        playgroundRoute,
        settingsTree,
      ]),
    ]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
