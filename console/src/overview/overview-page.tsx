import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';

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
import { Figures } from './figures.tsx';
import { Problems } from './problems.tsx';
import { overviewQuery, statisticsQuery } from './queries.ts';
import { type OverviewSearch, RANGES, RANGE_OPTIONS } from './range.ts';

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
  const { range = '24h', channel } = search;
  const titleOf = useChannelTitles();
  const overview = useQuery(overviewQuery(application));
  const statistics = useQuery(statisticsQuery({ application, channel, range }));
  // The channel menu lists all channels, whatever the current filter.
  const { data: all } = useQuery(statisticsQuery({ application, channel: undefined, range }));
  const before = useQuery(statisticsQuery({ application, channel, range, isBefore: true }));
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
            onChange={(event) => onSearch(compact({ range, channel: event.target.value }))}
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
            onChange={(next) => onSearch(compact({ range: next, channel }))}
          />
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
        {data && application === undefined && <ByApplication applications={data.applications} />}
      </div>
    </Page>
  );
}
