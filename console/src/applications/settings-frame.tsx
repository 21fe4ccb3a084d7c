import { Outlet } from '@tanstack/react-router';

import { Page } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useApplication, useApplicationId } from './application.ts';
import { ApplicationState } from './state.tsx';

const BASE = '/app/applications/$application/settings';

export function SettingsFrame() {
  const params = { application: String(useApplicationId()) };
  const application = useApplication();
  if (!application) return null;
  return (
    <Page
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="min-w-0 wrap-anywhere">{application.name}</span>
          <ApplicationState state={application.state} />
        </span>
      }
      name={`Settings of ${application.name}`}
    >
      <Tabs
        label="Settings"
        tabs={[
          { to: BASE, params, label: 'General', exact: true },
          { to: `${BASE}/webhook`, params, label: 'Webhook' },
          { to: `${BASE}/keys`, params, label: 'Tokens and keys' },
        ]}
      />
      <Outlet />
    </Page>
  );
}
