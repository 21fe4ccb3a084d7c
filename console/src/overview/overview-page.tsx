import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';

import type { Overview, Statistics } from '../api/types.ts';
import { useApplication, useApplicationId } from '../applications/application.ts';
import { applicationsQuery } from '../applications/queries.ts';
import { compact } from '../frame/search.ts';
import { Card, Section } from '../ui/card.tsx';
import { Select } from '../ui/form/input.tsx';
import { Segments } from '../ui/form/toggle.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Time, formatDuration, parseTime } from '../ui/time.tsx';
import { ByApplication, ByChannel } from './breakdown.tsx';
import { Chart, type Line } from './chart.tsx';
import { Problems } from './problems.tsx';
import { overviewQuery, statisticsQuery } from './queries.ts';
import { type OverviewSearch, RANGE_OPTIONS } from './range.ts';
import { countTicks, durationTicks } from './ticks.ts';

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
  const overview = useQuery(overviewQuery(application));
  const statistics = useQuery(statisticsQuery({ application, channel, range }));
  // The channel menu lists all channels, whatever the current filter.
  const { data: all } = useQuery(statisticsQuery({ application, channel: undefined, range }));
  const { data: applications } = useQuery(applicationsQuery);
  const names = useMemo(
    () => new Map(applications?.map(({ id, name }) => [id, name])),
    [applications],
  );
  const error = overview.error ?? statistics.error;
  const { data } = statistics;
  return (
    <Page
      title={title}
      description={description}
      wide
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
                <option key={name}>{name}</option>
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
        {error && (
          <ProblemNotice
            error={error}
            onRetry={() => void Promise.all([overview.refetch(), statistics.refetch()])}
          />
        )}
        {overview.data ? (
          <Problems
            problems={overview.data.problems}
            names={application === undefined ? names : undefined}
          />
        ) : (
          !error && <Skeleton className="h-11 rounded-lg" />
        )}
        <Figures overview={overview.data} total={data?.total} />
        <div className="grid gap-4 xl:grid-cols-2">
          <Section title="Messages">
            {data ? <Messages statistics={data} /> : <Skeleton className="h-56" />}
          </Section>
          <Section title="Time to send" description="From acceptance to the channel.">
            {data ? <Latency statistics={data} /> : <Skeleton className="h-56" />}
          </Section>
        </div>
        {data && <ByChannel channels={data.channels} />}
        {data && application === undefined && (
          <ByApplication applications={data.applications} names={names} />
        )}
      </div>
    </Page>
  );
}

interface FiguresProps {
  overview: Overview | undefined;
  total: Statistics['total'] | undefined;
}

function Figures({ overview, total }: FiguresProps) {
  const oldest = overview?.queue.oldest_at ?? null;
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <Figure name="Accepted" value={total?.accepted} />
      <Figure name="Sent" value={total?.sent} />
      <Figure name="Delivered" value={total?.delivered} />
      <Figure name="Failed" value={total?.failed} isBad={(total?.failed ?? 0) > 0} />
      <Figure name="Received" value={total?.received} />
      <Figure name="Waiting now" value={overview?.queue.waiting}>
        {oldest !== null && (
          <>
            oldest <Time at={oldest} />
          </>
        )}
      </Figure>
    </dl>
  );
}

interface FigureProps {
  name: string;
  value: number | undefined;
  isBad?: boolean;
  children?: ReactNode;
}

function Figure({ name, value, isBad, children }: FigureProps) {
  return (
    <Card className="px-4 py-3">
      <dt className="text-sm text-ink-faint">{name}</dt>
      <dd className="min-h-8">
        <span className={`text-2xl font-semibold tabular ${isBad ? 'text-bad' : ''}`}>
          {value === undefined ? <Skeleton className="mt-2 w-16" /> : value.toLocaleString()}
        </span>
        {children !== undefined && <span className="block text-xs text-ink-faint">{children}</span>}
      </dd>
    </Card>
  );
}

const timesOf = ({ series }: Statistics) => series.map(({ at }) => parseTime(at));

function Messages({ statistics }: { statistics: Statistics }) {
  const { series, step } = statistics;
  const times = timesOf(statistics);
  const lines: Line[] = [
    {
      label: 'Accepted',
      tone: 'accent',
      values: series.map(({ accepted }) => accepted),
      dashed: true,
    },
    { label: 'Sent', tone: 'busy', values: series.map(({ sent }) => sent) },
    { label: 'Delivered', tone: 'ok', values: series.map(({ delivered }) => delivered) },
  ];
  const failed: Line = {
    label: 'Failed',
    tone: 'bad',
    values: series.map((one) => one.failed),
    bars: true,
  };
  return (
    <div className="grid gap-3">
      <Chart
        label={`Messages by ${step}: accepted, sent and delivered`}
        times={times}
        lines={lines}
        ticks={countTicks}
        empty="No messages in this period"
      />
      {/* On its own scale: a few failures would be invisible beside many messages. */}
      {statistics.total.failed > 0 && (
        <Chart
          label={`Failed messages by ${step}`}
          times={times}
          lines={[failed]}
          ticks={countTicks}
          empty="No failed messages in this period"
          strip
        />
      )}
    </div>
  );
}

function Latency({ statistics }: { statistics: Statistics }) {
  const { series, total } = statistics;
  const lines: Line[] = [
    { label: 'p50', tone: 'ok', values: series.map(({ latency_ms }) => latency_ms.p50) },
    {
      label: 'p90',
      tone: 'busy',
      values: series.map(({ latency_ms }) => latency_ms.p90),
      dashed: true,
    },
    { label: 'p99', tone: 'warn', values: series.map(({ latency_ms }) => latency_ms.p99) },
  ];
  const { p50, p99 } = total.latency_ms;
  return (
    <>
      <Chart
        label={`Time to send by ${statistics.step}: p50, p90 and p99`}
        times={timesOf(statistics)}
        lines={lines}
        ticks={durationTicks}
        empty="No messages sent in this period"
      />
      {p50 !== null && p99 !== null && (
        <p className="mt-2 text-xs text-ink-faint">
          Whole period: p50 {formatDuration(p50)}, p99 {formatDuration(p99)}
        </p>
      )}
    </>
  );
}
