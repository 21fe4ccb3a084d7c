import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { PencilLine, Send, Smartphone, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { api } from '../api/client.ts';
import { isNotFound } from '../api/problem.ts';
import type { Integration } from '../api/types.ts';
import { NotFoundPage } from '../frame/not-found-page.tsx';
import { SandboxBadge } from '../sandbox/sandbox-badge.tsx';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Switch } from '../ui/form/toggle.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { ChannelFacts } from './channel-facts.tsx';
import { ChannelMark } from './channel-mark.tsx';
import { EditOptions } from './edit-options.tsx';
import { DisabledNotice } from './form/disabled-notice.tsx';
import { EditCredentials } from './form/edit-credentials.tsx';
import { GoLive } from './form/go-live.tsx';
import { SetupGuide } from './form/guide.tsx';
import { HealthBadge, HealthFacts } from './health.tsx';
import { Ignored } from './ignored.tsx';
import { integrationDetail, integrationName } from './integration-name.tsx';
import {
  channelsQuery,
  healthQuery,
  integrationQuery,
  refetchIntegrations,
  useChangeIntegration,
} from './queries.ts';
import { Receiving } from './receiving.tsx';
import { Rename } from './rename.tsx';

export function IntegrationPage() {
  const params = useParams({
    from: '/app/framed/applications/$application/integrations/$integration',
  });
  const application = Number(params.application);
  const id = Number(params.integration);
  const { data: integration, error, refetch } = useQuery(integrationQuery(application, id));
  const { data: channels } = useQuery(channelsQuery);
  const { data: health } = useQuery(healthQuery(application, id));
  const channel = channels?.find(({ name }) => name === integration?.name);
  if (isNotFound(error)) return <NotFoundPage />;
  const name = integration && integrationName(integration, channels);
  const detail = integration && integrationDetail(integration, channels);
  return (
    <Page
      name={name ?? 'Integration'}
      crumb={
        <Link
          to="/app/applications/$application/integrations"
          params={{ application: params.application }}
        >
          Integrations
        </Link>
      }
      title={
        <span className="flex flex-wrap items-center gap-3">
          {integration ? (
            <ChannelMark name={integration.name} size="lg" />
          ) : (
            <Skeleton className="size-9" />
          )}
          <span className="grid">
            {name ?? <Skeleton className="w-40" />}
            {detail && (
              <span className="text-sm font-normal tracking-normal wrap-anywhere text-ink-soft">
                {detail}
              </span>
            )}
          </span>
          {integration && <SandboxBadge integration={integration} />}
          {health && <HealthBadge health={health} />}
        </span>
      }
      actions={integration && <Actions application={application} integration={integration} />}
    >
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      <DisabledNotice />
      {integration && channel && (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,22rem)]">
          <div className="grid gap-4">
            <Section title="Health">
              {health ? (
                <HealthFacts health={health} channel={channel} />
              ) : (
                <Skeleton className="h-24" />
              )}
            </Section>
            <Receiving application={application} integration={integration} channel={channel} />
            <Ignored application={application} integration={id} />
            {integration.mode === 'sandbox' ? (
              <GoLive application={application} integration={integration} channel={channel} />
            ) : (
              channel.credentials.length > 0 && (
                <EditCredentials
                  application={application}
                  integration={integration}
                  channel={channel}
                />
              )
            )}
            {channel.options.length > 0 && (
              <EditOptions application={application} integration={integration} channel={channel} />
            )}
            <Removal
              application={application}
              integration={integration}
              name={integrationName(integration, channels)}
            />
          </div>
          <div className="grid gap-4">
            <SetupGuide channel={channel} />
            <ChannelFacts channel={channel} />
          </div>
        </div>
      )}
      {!integration && !error && <Skeleton className="h-80 rounded-lg" />}
    </Page>
  );
}

function Actions({ application, integration }: { application: number; integration: Integration }) {
  const change = useChangeIntegration(application, integration);
  // Optimistic: the new state while the change is pending.
  const state = change.isPending ? change.variables.state : integration.state;
  const [renaming, setRenaming] = useState(false);
  return (
    <>
      {integration.mode === 'sandbox' && (
        <Button asChild look="primary">
          <Link
            data-testid="phone"
            to="/app/applications/$application/integrations/$integration/phone"
            params={{ application: String(application), integration: String(integration.id) }}
          >
            <Smartphone aria-hidden />
            Open phone
          </Link>
        </Button>
      )}
      <Button data-testid="rename" onClick={() => setRenaming(true)}>
        <PencilLine aria-hidden />
        Rename
      </Button>
      {renaming && (
        <Rename
          application={application}
          integration={integration}
          onClose={() => setRenaming(false)}
        />
      )}
      <Button asChild>
        <Link
          to="/app/applications/$application/messages"
          params={{ application: String(application) }}
          search={{ integration: integration.id }}
        >
          <Send aria-hidden />
          Show messages
        </Link>
      </Button>
      <span className="flex items-center gap-2 text-sm font-medium">
        <Switch
          label="Enabled"
          checked={state === 'enable'}
          onChange={(checked) =>
            change.mutate({ state: checked ? 'enable' : 'disable' }, { onError: toast.error })
          }
        />
        <span aria-hidden>{state === 'enable' ? 'Enabled' : 'Disabled'}</span>
      </span>
    </>
  );
}

interface RemovalProps {
  application: number;
  integration: Integration;
  name: string;
}

function Removal({ application, integration, name }: RemovalProps) {
  const [confirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  return (
    <>
      <Section
        title="Delete integration"
        description="Cancels its queued messages. Sent messages stay in the log."
        actions={
          <Button data-testid="delete" look="dangerQuiet" onClick={() => setConfirming(true)}>
            <Trash2 aria-hidden />
            Delete integration
          </Button>
        }
      />
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title={`Delete ${name}?`}
        action="Delete integration"
        danger
        requiredText={name}
        onConfirm={async () => {
          await api.delete(`/1/integrations/${integration.id}`, { application });
          await navigate({
            to: '/app/applications/$application/integrations',
            params: { application: String(application) },
            replace: true,
          });
          toast.ok('Integration deleted');
          void refetchIntegrations(application);
        }}
      >
        This cannot be undone. Its credentials are deleted and its queued messages are canceled. To
        stop it for a while, disable it instead.
      </Confirm>
    </>
  );
}
