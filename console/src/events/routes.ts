import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { applicationRoute } from '../frame/routes.ts';
import { type SearchText, compact, numberIn } from '../frame/search.ts';
import { type DeliverySearch, isDeliveryFilter } from './deliveries.ts';
import { typesOf } from './event-type.ts';

export interface FeedSearch {
  /** Comma-separated event types. */
  type?: string;
  /** Shows new events automatically. */
  live?: true;
}

const eventsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/events',
  component: lazyRouteComponent(() => import('./events-frame.tsx'), 'EventsFrame'),
});

const feedRoute = createRoute({
  getParentRoute: () => eventsRoute,
  path: '/',
  validateSearch: ({ type, live }: SearchText): FeedSearch =>
    compact({
      type: typesOf(type).join(','),
      live: live === 'true' ? (true as const) : undefined,
    }),
  component: lazyRouteComponent(() => import('./feed-page.tsx'), 'FeedPage'),
});

const deliveriesRoute = createRoute({
  getParentRoute: () => eventsRoute,
  path: '/deliveries',
  validateSearch: (search: SearchText): DeliverySearch => {
    const { shown } = search;
    return compact({
      shown: isDeliveryFilter(shown) ? shown : undefined,
      event: numberIn(search, 'event'),
    });
  },
  component: lazyRouteComponent(() => import('./deliveries-page.tsx'), 'DeliveriesPage'),
});

export const eventsTree = eventsRoute.addChildren([feedRoute, deliveriesRoute]);

export const eventRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/events/$event',
  component: lazyRouteComponent(() => import('./event-page.tsx'), 'EventPage'),
});

export const deliveryRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/events/deliveries/$delivery',
  component: lazyRouteComponent(() => import('./delivery-page.tsx'), 'DeliveryPage'),
});
