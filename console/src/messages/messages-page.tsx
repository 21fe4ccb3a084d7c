import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Radio, Rocket, SearchX, Send } from 'lucide-react';
import { useMemo } from 'react';

import { compact } from '../frame/search.ts';
import { useShortcut } from '../frame/shortcuts.ts';
import { integrationsQuery } from '../integrations/queries.ts';
import { Button } from '../ui/form/button.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { ListCard } from '../ui/list/list-card.tsx';
import { Page } from '../ui/page.tsx';
import { ExportButton } from './export/export-button.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type MessageSearch, isFiltered, selectsOnlyFailures } from './filter.ts';
import { useMessages } from './list.ts';
import { MessageLog } from './message-log.tsx';
import { ResendMany, RunningResends } from './resend-many.tsx';

const FROM = '/app/framed/applications/$application/messages';

export function MessagesPage() {
  const application = Number(useParams({ from: FROM }).application);
  const search = useSearch({ from: FROM });
  const navigate = useNavigate({ from: '/app/applications/$application/messages' });
  const { live = false } = search;
  // Keeps the filter object identical while its content is, so that queries do not restart.
  const text = JSON.stringify({ ...search, live: undefined });
  const filter = useMemo(() => JSON.parse(text) as MessageSearch, [text]);
  const query = useMessages(application, filter, live);
  const { messages } = query;
  const { data: integrations } = useQuery(integrationsQuery(application));
  const channels = useMemo(
    () => new Map(integrations?.map(({ id, name }) => [id, name])),
    [integrations],
  );
  const toggleLive = () =>
    void navigate({
      search: (known) => compact({ ...known, live: live ? undefined : (true as const) }),
      replace: true,
    });
  useShortcut('l', 'Messages', 'Toggle live updates', toggleLive);
  const clear = () => void navigate({ search: compact({ live: search.live }), replace: true });
  return (
    <Page
      title="Messages"
      description="All messages of this application, with their state."
      actions={
        <>
          {messages.length > 0 && (
            <ExportButton
              application={application}
              filter={filter}
              total={query.hasNextPage ? undefined : messages.length}
            />
          )}
          <ResendMany application={application} filter={filter} />
          <Button
            data-testid="live"
            aria-pressed={live}
            className="aria-pressed:border-ok/40 aria-pressed:bg-ok-soft aria-pressed:text-ok"
            onClick={toggleLive}
          >
            <Radio aria-hidden />
            Live updates
          </Button>
        </>
      }
    >
      <RunningResends application={application} />
      <FilterBar
        application={application}
        filter={filter}
        onClear={clear}
        onChange={(change) =>
          void navigate({ search: (known) => compact({ ...known, ...change }), replace: true })
        }
      />
      <ListCard query={query} skeletonRows={12}>
        {messages.length === 0 ? (
          isFiltered(filter) ? (
            <NoMatch onClear={clear} />
          ) : (
            <NoMessages application={application} />
          )
        ) : (
          <MessageLog
            messages={messages}
            channels={channels}
            withReasons={selectsOnlyFailures(filter)}
            hasMore={query.hasNextPage}
            isLoading={query.isFetchingNextPage}
            onLoadMore={() => void query.fetchNextPage()}
          />
        )}
      </ListCard>
    </Page>
  );
}

function NoMatch({ onClear }: { onClear(): void }) {
  return (
    <Empty
      testId="no-match"
      icon={SearchX}
      title="No matching messages"
      actions={
        <Button data-testid="clear-all" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      A recipient must match exactly. Messages are deleted after the retention time of the
      application.
    </Empty>
  );
}

function NoMessages({ application }: { application: number }) {
  const navigate = useNavigate();
  return (
    <Empty
      testId="no-messages"
      icon={Send}
      title="No messages yet"
      actions={
        <Button
          look="primary"
          onClick={() => void navigate({ to: '/app/start', search: { application } })}
        >
          <Rocket aria-hidden />
          Send first message
        </Button>
      }
    >
      Messages appear here as soon as they are accepted, with every attempt and the response of the
      channel.
    </Empty>
  );
}
