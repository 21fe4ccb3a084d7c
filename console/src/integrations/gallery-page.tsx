import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';

import type { Channel } from '../api/types.ts';
import { compact } from '../frame/search.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/form/button.tsx';
import { SearchInput, Select } from '../ui/form/input.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { ABILITIES, type Ability, abilitiesOf, matchesSearch } from './abilities.ts';
import { ChannelMark } from './channel-mark.tsx';
import { channelsQuery } from './queries.ts';

const FROM = '/app/framed/applications/$application/integrations/new';

export function GalleryPage() {
  const { application } = useParams({ from: FROM });
  const { q = '', can } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: '/app/applications/$application/integrations/new' });
  const { data: channels, error, refetch } = useQuery(channelsQuery);
  const change = (search: { q?: string | undefined; can?: Ability | undefined }) =>
    void navigate({ search: (known) => compact({ ...known, ...search }), replace: true });
  const shown = channels
    ?.filter(
      (channel) => matchesSearch(channel, q) && (can === undefined || ABILITIES[can].has(channel)),
    )
    .toSorted(
      (a, b) => Number(isBuiltIn(b)) - Number(isBuiltIn(a)) || a.title.localeCompare(b.title),
    );
  return (
    <Page
      title="Choose a channel"
      description="An integration connects this application to a channel. You can add several integrations of the same channel."
      crumb={
        <Link
          to="/app/applications/$application/integrations"
          params={{ application }}
          className="hover:text-ink"
        >
          Integrations
        </Link>
      }
    >
      <div role="search" className="mb-4 flex flex-wrap gap-2">
        <SearchInput
          data-testid="search"
          aria-label="Search channels"
          placeholder="Search channels"
          className="min-w-48 flex-1"
          autoFocus
          value={q}
          onValue={(text) => change({ q: text || undefined })}
        />
        <Select
          data-testid="ability"
          aria-label="Capability"
          className="w-48"
          value={can ?? ''}
          onChange={(event) => change({ can: (event.target.value as Ability) || undefined })}
        >
          <option value="">All capabilities</option>
          {Object.entries(ABILITIES).map(([ability, { label }]) => (
            <option key={ability} value={ability}>
              {label}
            </option>
          ))}
        </Select>
      </div>
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {!shown && !error && <Loading />}
      {shown?.length === 0 && (
        <Empty
          testId="no-match"
          icon={SearchX}
          title="No matching channels"
          actions={
            <Button onClick={() => change({ q: undefined, can: undefined })}>Clear filters</Button>
          }
        >
          To connect your own service, use the Webhook channel: it posts each message to a URL of
          your choice.
        </Empty>
      )}
      {shown && shown.length > 0 && (
        <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
          {shown.map((channel) => (
            <li key={channel.name}>
              <ChannelCard channel={channel} application={application} />
            </li>
          ))}
        </ul>
      )}
    </Page>
  );
}

const isBuiltIn = ({ needs, can }: Channel) =>
  can.receive.includes('page') && needs.some((set) => set.length === 0);

function ChannelCard({ channel, application }: { channel: Channel; application: string }) {
  const abilities = abilitiesOf(channel);
  return (
    <Link
      to="/app/applications/$application/integrations/new/$channel"
      params={{ application, channel: channel.name }}
      className="flex h-full items-start gap-3 rounded-lg border border-line bg-surface p-3.5 transition-colors hover:border-line-strong hover:bg-hover"
    >
      <ChannelMark name={channel.name} size="lg" />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2 font-semibold">
          {channel.title}
          {isBuiltIn(channel) && <Badge tone="accent">Built in</Badge>}
        </span>
        <span className="mt-0.5 line-clamp-2 text-sm text-ink-soft">
          {channel.can.text === null
            ? 'Text of any length'
            : `Text up to ${channel.can.text.toLocaleString()} characters`}
          {abilities.length > 0 && `, ${abilities.join(', ').toLowerCase()}`}
        </span>
      </span>
    </Link>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
      {Array.from({ length: 12 }, (_, i) => (
        <Skeleton key={i} className="h-22 rounded-lg" />
      ))}
    </div>
  );
}
