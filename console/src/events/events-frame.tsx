import { Outlet } from '@tanstack/react-router';

import { useApplicationId } from '../applications/application.ts';
import { Page } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';

const BASE = '/app/applications/$application/events';

/** Tabs around the feed and its deliveries. */
export function EventsFrame() {
  const params = { application: String(useApplicationId()) };
  return (
    <Page
      title="Events"
      description="Incoming messages and state changes of your messages. Read them from the feed, or receive them by webhook or WebSocket."
    >
      <Tabs
        label="Events"
        tabs={[
          { to: BASE, params, label: 'Feed', exact: true },
          { to: `${BASE}/deliveries`, params, label: 'Webhook deliveries' },
        ]}
      />
      <Outlet />
    </Page>
  );
}
