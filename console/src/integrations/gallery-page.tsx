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
import { ABILITIES, type Ability } from './abilities.ts';
import { ChannelMark } from './channel-mark.tsx';
import { CATEGORIES, type Category, nearestChannels, searchChannels } from './channel-search.ts';
import { channelsQuery } from './queries.ts';

/** Channels to suggest if none was found. */
const MAX_NEAREST = 6;
const FROM = '/app/framed/applications/$application/integrations/new';

export function GalleryPage() {
  const { application } = useParams({ from: FROM });
  const { q = '', can } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: '/app/applications/$application/integrations/new' });
  const { data: channels, error, refetch } = useQuery(channelsQuery);
  const change = (search: { q?: string | undefined; can?: Ability | undefined }) =>
    void navigate({ search: (previous) => compact({ ...previous, ...search }), replace: true });
  const able = channels?.filter((each) => can === undefined || ABILITIES[can].has(each));
  const shown = able && searchChannels(able, q);
  const matches = searchChannels(channels ?? [], q).slice(0, MAX_NEAREST);
  return (
    <Page
      title="Choose a channel"
      description="An integration connects this application to a channel. You can add several integrations of the same channel."
      crumb={
        <Link to="/app/applications/$application/integrations" params={{ application }}>
          Integrations
        </Link>
      }
    >
      <div role="search" className="mb-6 flex flex-wrap gap-2">
        <SearchInput
          data-testid="search"
          aria-label="Search channels"
          placeholder="Name or kind, such as SMS"
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
      {channels && shown?.length === 0 && (
        <NoMatch
          application={application}
          // Matches without the capability, or else similar names.
          nearest={matches.length > 0 ? matches : nearestChannels(channels, q)}
          text={q}
          ability={can}
          onClear={() => change({ q: undefined, can: undefined })}
        />
      )}
      {shown && shown.length > 0 && q.trim() !== '' && (
        <Cards label="Search results" channels={shown} application={application} />
      )}
      {shown && q.trim() === '' && (
        <div className="grid gap-7">
          {CATEGORY_NAMES.map((category) => (
            <CategorySection
              key={category}
              category={category}
              channels={shown.filter((channel) => channel.category === category)}
              application={application}
            />
          ))}
        </div>
      )}
    </Page>
  );
}

const isBuiltIn = ({ needs, can }: Channel) =>
  can.receive.includes('page') && needs.some((set) => set.length === 0);

const CATEGORY_NAMES = Object.keys(CATEGORIES) as Category[];

interface CardsProps {
  channels: readonly Channel[];
  application: string;
}

function CategorySection({ category, ...cards }: CardsProps & { category: Category }) {
  if (cards.channels.length === 0) return null;
  const { title } = CATEGORIES[category];
  return (
    <section data-category={category}>
      <h2 className="mb-2.5 text-sm font-semibold text-ink-soft">
        {title} <span className="font-normal text-ink-faint">{cards.channels.length}</span>
      </h2>
      <Cards label={title} {...cards} />
    </section>
  );
}

function Cards({ label, channels, application }: CardsProps & { label: string }) {
  return (
    <ul aria-label={label} className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
      {channels.map((channel) => (
        <li key={channel.name}>
          <ChannelCard channel={channel} application={application} />
        </li>
      ))}
    </ul>
  );
}

function ChannelCard({ channel, application }: { channel: Channel; application: string }) {
  return (
    <Link
      to="/app/applications/$application/integrations/new/$channel"
      params={{ application, channel: channel.name }}
      className="flex h-full items-start gap-3 rounded-lg border border-line bg-surface p-3.5 transition-colors hover:border-line-strong hover:bg-hover"
    >
      <ChannelMark name={channel.name} size="lg" />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2 font-semibold">
          {channel.title}
          {isBuiltIn(channel) && <Badge tone="accent">Built in</Badge>}
        </span>
        <span className="mt-0.5 block text-sm text-pretty text-ink-soft">{channel.summary}</span>
      </span>
    </Link>
  );
}

interface NoMatchProps {
  application: string;
  nearest: readonly Channel[];
  text: string;
  ability: Ability | undefined;
  onClear(): void;
}

function NoMatch({ application, nearest, text, ability, onClear }: NoMatchProps) {
  const found = `Nothing found for “${text.trim()}”`;
  const title = ability === undefined ? found : `${found} with “${ABILITIES[ability].label}”`;
  return (
    <div className="grid gap-5">
      <Empty
        testId="no-match"
        icon={SearchX}
        title={title}
        actions={<Button onClick={onClear}>Show all channels</Button>}
      >
        To connect a service of your own, use the Webhook channel: it posts each message to a URL.
      </Empty>
      {nearest.length > 0 && (
        <section data-testid="nearest">
          <h2 className="mb-2.5 text-sm font-semibold text-ink-soft">Nearest channels</h2>
          <Cards label="Nearest channels" channels={nearest} application={application} />
        </section>
      )}
    </div>
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
