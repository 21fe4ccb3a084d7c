import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowUp, Radio, ScrollText, SearchX } from 'lucide-react';
import { useMemo } from 'react';

import { useApplicationId } from '../applications/application.ts';
import { compact } from '../frame/search.ts';
import { integrationsQuery } from '../integrations/queries.ts';
import { Menu, MenuChoice, MenuContent, MenuTrigger } from '../ui/floating/menu.tsx';
import { Button } from '../ui/form/button.tsx';
import { FilterChip } from '../ui/form/filter-chip.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { ListCard } from '../ui/list/list-card.tsx';
import { ROW_HEIGHT, RowsHead } from '../ui/list/rows.tsx';
import { VirtualRows } from '../ui/list/virtual-rows.tsx';
import { PHONE, useMedia } from '../ui/media.ts';
import { linkClass } from '../ui/page.tsx';
import { EventIcon } from './event-badge.tsx';
import { COLUMNS, EventRow } from './event-row.tsx';
import { FEED_TYPES, typesOf } from './event-type.ts';
import { useEvents } from './feed.ts';

export function FeedPage() {
  const application = useApplicationId();
  const isPhone = useMedia(PHONE);
  const { type, live = false } = useSearch({
    from: '/app/framed/applications/$application/events/',
  });
  const navigate = useNavigate({ from: '/app/applications/$application/events/' });
  const feed = useEvents(application, type, live);
  const { events, unseen, hasNextPage, isFetchingNextPage } = feed;
  const { data: integrations } = useQuery(integrationsQuery(application));
  const channels = useMemo(
    () => new Map(integrations?.map(({ id, name }) => [id, name])),
    [integrations],
  );
  const choose = (chosen: readonly string[]) =>
    void navigate({
      search: (previous) => compact({ ...previous, type: chosen.join(',') }),
      replace: true,
    });
  return (
    <>
      <div role="search" aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
        <TypeFilter type={type} onChoose={choose} />
        <Button
          data-testid="live"
          aria-pressed={live}
          className="ml-auto aria-pressed:border-ok/40 aria-pressed:bg-ok-soft aria-pressed:text-ok"
          onClick={() =>
            void navigate({
              search: (previous) =>
                compact({ ...previous, live: live ? undefined : (true as const) }),
              replace: true,
            })
          }
        >
          <Radio aria-hidden />
          Live updates
        </Button>
      </div>
      <ListCard query={feed} skeletonRows={12} className="relative">
        {unseen > 0 && (
          <button
            type="button"
            data-testid="show-new"
            onClick={feed.show}
            className="absolute inset-x-0 top-2 z-10 mx-auto flex w-fit items-center gap-1.5 rounded-full border border-accent/40 bg-accent-soft px-3 py-1 text-sm font-medium text-accent-text shadow-raised"
          >
            <ArrowUp className="size-3.5" aria-hidden />
            {unseen.toLocaleString()} new
          </button>
        )}
        {events.length === 0 ? (
          type === undefined ? (
            <NoEvents application={application} />
          ) : (
            <Empty
              testId="no-match"
              icon={SearchX}
              title="No matching events"
              actions={<Button onClick={() => choose([])}>Clear filter</Button>}
            >
              Events are deleted after the retention time of the application.
            </Empty>
          )
        ) : (
          <>
            {!isPhone && <Head />}
            <VirtualRows
              label="Events"
              items={events}
              keyOf={({ id }) => id}
              height={isPhone ? ROW_HEIGHT.phone : ROW_HEIGHT.desktop}
              renderRow={(event) => (
                <EventRow
                  application={application}
                  event={event}
                  channels={channels}
                  isPhone={isPhone}
                />
              )}
              hasMore={hasNextPage}
              isLoading={isFetchingNextPage}
              onLoadMore={() => void feed.fetchNextPage()}
            />
            <p
              data-testid="list-end"
              data-count={hasNextPage ? undefined : events.length}
              className="border-t border-line px-3 py-2 text-center text-xs text-ink-faint"
            >
              {hasNextPage ? 'Loading older events…' : 'No older events'}
            </p>
          </>
        )}
      </ListCard>
    </>
  );
}

function Head() {
  return (
    <RowsHead columns={COLUMNS}>
      <span>Type</span>
      <span>Contact</span>
      <span>Content</span>
      <span>Integration</span>
      <span className="text-right">Id</span>
      <span className="text-right">Time</span>
    </RowsHead>
  );
}

interface TypeFilterProps {
  type: string | undefined;
  onChoose(types: readonly string[]): void;
}

function TypeFilter({ type, onChoose }: TypeFilterProps) {
  const chosen = typesOf(type);
  return (
    <Menu>
      <FilterChip
        label="Type"
        testId="type"
        value={chosen.length > 0 ? chosen.join(', ') : undefined}
        onClear={() => onChoose([])}
        trigger={MenuTrigger}
      />
      <MenuContent>
        {FEED_TYPES.map((each) => (
          <MenuChoice
            key={each}
            checked={chosen.includes(each)}
            onSelect={(event) => event.preventDefault()}
            onCheckedChange={(isOn) =>
              onChoose(isOn ? [...chosen, each] : chosen.filter((other) => other !== each))
            }
          >
            <EventIcon type={each} />
            <span className="font-mono text-xs">{each}</span>
          </MenuChoice>
        ))}
      </MenuContent>
    </Menu>
  );
}

function NoEvents({ application }: { application: number }) {
  return (
    <Empty testId="no-events" icon={ScrollText} title="No events yet">
      Incoming messages and state changes of sent messages appear here. Create the first ones with
      the{' '}
      <Link to="/app/start" search={{ application }} className={linkClass}>
        guided start
      </Link>
      .
    </Empty>
  );
}
