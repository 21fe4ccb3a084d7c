import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router';

import { ApiProblem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import {
  applicationQuery,
  idIn,
  loadLastApplication,
  rememberApplication,
} from '../applications/queries.ts';
import { afterSignIn, sessionQuery, setupQuery, signIn } from '../session/session.ts';
import { AppFrame } from './app-frame.tsx';
import { BareErrorPage } from './error-page.tsx';
import { BareNotFoundPage, NotFoundPage } from './not-found-page.tsx';
import { RootFrame } from './root-frame.tsx';
import type { SearchText } from './search.ts';

/* Base routes: the root, pages that need a session, and pages of one application. */

export const rootRoute = createRootRoute({
  component: RootFrame,
  errorComponent: BareErrorPage,
  notFoundComponent: BareNotFoundPage,
});

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/app', replace: true });
  },
});

interface SignInSearch {
  /** Where to go after signing in. */
  next?: string;
  /** The session ended during use. */
  ended?: true;
  /** The one-time link was used before, or has expired. */
  stale?: true;
}

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: SearchText): SignInSearch => ({
    ...(search['next'] !== undefined && { next: search['next'] }),
    ...(search['ended'] === 'true' && { ended: true }),
    ...(search['stale'] === 'true' && { stale: true }),
  }),
  beforeLoad: async ({ location, search }) => {
    // The code is in the fragment, which browsers do not send, so no log contains it. It is removed from the URL
    // after use.
    const code = new URLSearchParams(location.hash).get('code');
    if (code === null) {
      if (await queryClient.query(sessionQuery)) throw redirect({ to: afterSignIn(search.next) });
      return;
    }
    try {
      await signIn({ code });
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 'login_failed') throw error;
      throw redirect({ to: '/sign-in', search: { stale: true }, replace: true });
    }
    throw redirect({ to: '/app', replace: true });
  },
  loader: () => queryClient.query(setupQuery),
  component: lazyRouteComponent(() => import('../session/sign-in-page.tsx'), 'SignInPage'),
});

/** Pages that need a session. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/app',
  beforeLoad: async ({ location }) => {
    const session = await queryClient.query({ ...sessionQuery, staleTime: 'static' });
    if (!session) {
      const next = location.href === '/app' ? undefined : location.href;
      throw redirect({ to: '/sign-in', search: next === undefined ? {} : { next } });
    }
    if (!session.user.has_password && location.pathname !== '/app/welcome') {
      throw redirect({ to: '/app/welcome', replace: true });
    }
  },
});

export const welcomeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../session/welcome-page.tsx'), 'WelcomePage'),
});

/** Pages with the navigation. */
export const framedRoute = createRoute({
  getParentRoute: () => appRoute,
  id: 'framed',
  component: AppFrame,
  notFoundComponent: NotFoundPage,
});

export const appHomeRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/',
  beforeLoad: async () => {
    const last = await loadLastApplication();
    if (!last) throw redirect({ to: '/app/start', replace: true });
    const params = { application: String(last.id) };
    throw redirect({ to: '/app/applications/$application/overview', params, replace: true });
  },
});

/** Pages of the application in the URL. */
export const applicationRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/applications/$application',
  loader: async ({ params }) => {
    const id = idIn(params.application);
    const found =
      id === undefined
        ? null
        : await queryClient.query({ ...applicationQuery(id), staleTime: 'static' });
    // Show "not found" inside the frame, instead of the page.
    if (!found) throw notFound({ routeId: '/app/framed/applications/$application' });
    rememberApplication(found.id);
  },
  notFoundComponent: NotFoundPage,
});
