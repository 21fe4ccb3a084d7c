import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';

import type { IntegrationMode } from '../../../src/model/integration.ts';
import type { Statistics } from '../api/types.ts';
import { useApplication, useApplicationId } from '../applications/application.ts';
import { compact } from '../frame/search.ts';
import { apiTime } from '../messages/filter.ts';
import { Select } from '../ui/form/input.tsx';
import { Segments } from '../ui/form/toggle.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { ByApplication, ByChannel } from './breakdown.tsx';
import { useChannelTitles } from './channel-titles.ts';
import { Charts, type Point } from './charts.tsx';
import { Costs } from './costs.tsx';
import { Figures } from './figures.tsx';
import { Problems } from './problems.tsx';
import { overviewQuery, statisticsQuery } from './queries.ts';
import { type OverviewSearch, RANGES, RANGE_OPTIONS, type Range } from './range.ts';

export function OverviewPage() {
  const application = useApplication();
  const id = useApplicationId();
  const search = useSearch({ from: '/app/framed/applications/$application/overview' });
  const navigate = useNavigate({ from: '/app/applications/$application/overview' });
  return (
    <OverviewContent
      title="Overview"
      description={application && `Delivery health of ${application.name}`}
      application={id}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  );
}

export function TeamOverviewPage() {
  const search = useSearch({ from: '/app/framed/overview' });
  const navigate = useNavigate({ from: '/app/overview' });
  return (
    <OverviewContent
      title="Team overview"
      description="Delivery health of all applications"
      application={undefined}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  );
}

const TRAFFIC = [
  { value: 'live', label: 'Live' },
  { value: 'sandbox', label: 'Sandbox' },
] as const;

const hasTraffic = (statistics: Statistics | undefined) =>
  statistics !== undefined && statistics.total.accepted + statistics.total.received > 0;

/**
 * Live and sandbox traffic are counted separately. Default: live; the sandbox if it has traffic, and live has neither
 * traffic nor problems.
 */
function useMode(
  application: number | undefined,
  range: Range,
  chosen: IntegrationMode | undefined,
): { mode: IntegrationMode; hasSandbox: boolean } {
  const filter = { application, channel: undefined, range };
  const { data: live } = useQuery(statisticsQuery({ ...filter, mode: 'live' }));
  const { data: sandbox } = useQuery(statisticsQuery({ ...filter, mode: 'sandbox' }));
  const { data: overview } = useQuery(overviewQuery(application));
  const isQuiet = live !== undefined && !hasTraffic(live) && overview?.problems.length === 0;
  const mode = chosen ?? (isQuiet && hasTraffic(sandbox) ? 'sandbox' : 'live');
  return { mode, hasSandbox: hasTraffic(sandbox) || mode === 'sandbox' };
}

interface OverviewContentProps {
  title: string;
  description: string | undefined;
  application: number | undefined;
  search: OverviewSearch;
  onSearch(search: OverviewSearch): void;
}

function OverviewContent({
  title,
  description,
  application,
  search,
  onSearch,
}: OverviewContentProps) {
  const { range = '24h', channel, mode: chosen } = search;
  const { mode, hasSandbox } = useMode(application, range, chosen);
  const titleOf = useChannelTitles();
  const overview = useQuery(overviewQuery(application, mode));
  const statistics = useQuery(statisticsQuery({ application, channel, range, mode }));
  // The channel menu lists all channels, whatever the current filter.
  const { data: all } = useQuery(statisticsQuery({ application, channel: undefined, range, mode }));
  const before = useQuery(statisticsQuery({ application, channel, range, mode, isPrevious: true }));
  const beforeLabel = `previous ${RANGES[range].label}`;
  const navigate = useNavigate();
  const showMessages = (id: number, { from, to, failures }: Point) =>
    void navigate({
      to: '/app/applications/$application/messages',
      params: { application: String(id) },
      search: compact({
        state: failures ? 'failed' : undefined,
        channel,
        after: apiTime(from),
        before: apiTime(to),
      }),
    });
  const failed = [overview, statistics].find(({ isLoadingError }) => isLoadingError);
  const { data } = statistics;
  return (
    <Page
      title={title}
      description={description}
      actions={
        <>
          <Select
            aria-label="Channel"
            className="w-40"
            value={channel ?? ''}
            onChange={(event) =>
              onSearch(compact({ range, channel: event.target.value, mode: chosen }))
            }
          >
            <option value="">All channels</option>
            {[...new Set([...(all?.channels.map((one) => one.channel) ?? []), channel])]
              .filter((name) => name !== undefined)
              .map((name) => (
                <option key={name} value={name}>
                  {titleOf(name)}
                </option>
              ))}
          </Select>
          <Segments
            label="Time"
            value={range}
            options={RANGE_OPTIONS}
            onChange={(next) => onSearch(compact({ range: next, channel, mode: chosen }))}
          />
          {hasSandbox && (
            <Segments
              label="Traffic"
              value={mode}
              options={TRAFFIC}
              onChange={(next) => onSearch({ range, mode: next })}
            />
          )}
        </>
      }
    >
      <div className="grid gap-4">
        {failed && (
          <ProblemNotice
            error={failed.error}
            onRetry={() => void Promise.all([overview.refetch(), statistics.refetch()])}
          />
        )}
        {overview.data ? (
          <Problems problems={overview.data.problems} isTeam={application === undefined} />
        ) : (
          !overview.isError && <Skeleton className="h-10 rounded-lg" />
        )}
        <Figures
          overview={overview.data}
          total={data?.total}
          before={before.data?.total}
          beforeLabel={beforeLabel}
        />
        <Charts
          statistics={data}
          before={before.data}
          beforeLabel={beforeLabel}
          onPick={
            application === undefined ? undefined : (point) => showMessages(application, point)
          }
        />
        {data && <ByChannel channels={data.channels} />}
        {data && <Costs costs={data.costs} isTeam={application === undefined} />}
        {data && application === undefined && <ByApplication applications={data.applications} />}
      </div>
    </Page>
  );
}
