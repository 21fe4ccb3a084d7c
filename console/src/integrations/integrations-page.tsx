import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Cable, ChevronRight, Plus } from 'lucide-react';

import type { Channel, Integration, IntegrationHealth } from '../api/types.ts';
import { SandboxBadge } from '../sandbox/sandbox-badge.tsx';
import { Card } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { Skeleton, SkeletonRows } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { ChannelMark } from './channel-mark.tsx';
import { HealthBadge } from './health.tsx';
import { integrationDetail, integrationName } from './integration-name.tsx';
import { channelsQuery, healthQuery, integrationsQuery } from './queries.ts';

/** The integrations of an application with their health. */
export function IntegrationsPage() {
  const { application } = useParams({ from: '/app/framed/applications/$application/integrations' });
  const { data: integrations, error, refetch } = useQuery(integrationsQuery(Number(application)));
  const { data: channels = [] } = useQuery(channelsQuery);
  const add = (
    <Button asChild look="primary">
      <Link
        data-testid="add"
        to="/app/applications/$application/integrations/new"
        params={{ application }}
      >
        <Plus aria-hidden />
        Add integration
      </Link>
    </Button>
  );
  return (
    <Page
      title="Integrations"
      description="Channels that this application sends and receives messages through."
      actions={integrations && integrations.length > 0 && add}
    >
      {error ? (
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <Card className="overflow-hidden">
          {!integrations && <SkeletonRows />}
          {integrations?.length === 0 && (
            <Empty testId="no-integrations" icon={Cable} title="No integrations yet" actions={add}>
              An integration connects this application to a channel such as Telegram, email, SMS or
              a chat on your site. The built-in web chat needs no account, so start with it.
            </Empty>
          )}
          {integrations && integrations.length > 0 && (
            <ul>
              {integrations.map((integration) => (
                <li key={integration.id} className="border-t border-line first:border-t-0">
                  <Row integration={integration} channels={channels} />
                </li>
              ))}
            </ul>
          )}
        </Card>
      )}
    </Page>
  );
}

function LastResult({ health }: { health: IntegrationHealth }) {
  const { state, failing_since: sendingSince, last_success_at: at, receiving } = health;
  const since = sendingSince ?? receiving?.since ?? null;
  if (state === 'failing' && since !== null)
    return (
      <>
        Started failing <Time at={since} />
      </>
    );
  if (at === null) return 'No messages sent';
  return (
    <>
      Sent <Time at={at} />
    </>
  );
}

/** On a phone, health is below the name, so that names are shown in full. */
function Row({
  integration,
  channels,
}: {
  integration: Integration;
  channels: readonly Channel[];
}) {
  const { id, name, application_id: application } = integration;
  const { data: health } = useQuery({ ...healthQuery(application, id), refetchInterval: 15_000 });
  return (
    <Link
      to="/app/applications/$application/integrations/$integration"
      params={{ application: String(application), integration: String(id) }}
      className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 gap-y-1.5 px-4 py-3 -outline-offset-2 hover:bg-hover sm:grid-cols-[auto_minmax(0,1fr)_9rem_6rem_auto]"
    >
      <ChannelMark name={name} size="lg" />
      <span className="min-w-0">
        <span className="flex min-w-0 items-center gap-2 font-medium max-sm:flex-wrap">
          <span
            data-testid="integration-name"
            className="truncate max-sm:wrap-anywhere max-sm:whitespace-normal"
          >
            {integrationName(integration, channels)}
          </span>
          <SandboxBadge integration={integration} />
        </span>
        <span className="block truncate text-sm text-ink-soft">
          {integrationDetail(integration, channels)}
        </span>
      </span>
      <span className="col-start-2 flex flex-wrap items-center gap-x-2 gap-y-1 sm:contents">
        <span className="text-sm text-ink-faint max-sm:order-last max-sm:text-xs">
          {health && <LastResult health={health} />}
        </span>
        <span className="flex sm:justify-end">
          {health ? <HealthBadge health={health} /> : <Skeleton className="w-16" />}
        </span>
      </span>
      <ChevronRight className="size-4 shrink-0 text-ink-faint max-sm:hidden" aria-hidden />
    </Link>
  );
}
