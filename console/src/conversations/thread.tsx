import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { ArrowLeft, MessagesSquare } from 'lucide-react';
import { Fragment, useEffect, useEffectEvent, useMemo, useRef } from 'react';

import { isNotFound } from '../api/problem.ts';
import type { Conversation } from '../api/types.ts';
import { ContactLink } from '../contacts/contact-link.tsx';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { channelsQuery } from '../integrations/queries.ts';
import { lookOf } from '../messages/look/look.ts';
import { Button } from '../ui/form/button.tsx';
import { Copyable } from '../ui/form/copy.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { parseTime } from '../ui/time.tsx';
import { conversationName } from './conversation-name.ts';
import { Entry } from './entry.tsx';
import { itemsOf } from './loaded-pages.ts';
import { ENTRY_ORDER, conversationQuery, entriesQuery, useMarkRead } from './queries.ts';
import { Reply } from './reply/reply.tsx';
import { type ShownEntry, shownEntries } from './shown-entries.ts';

interface ThreadProps {
  application: number;
  id: number;
}

/** One conversation: the person or group, the messages in both directions, and the reply form. */
export function Thread({ application, id }: ThreadProps) {
  const { data: conversation, error, refetch } = useQuery(conversationQuery(application, id));
  const { data: channels } = useQuery(channelsQuery);
  useReading(application, conversation);
  if (isNotFound(error)) {
    return (
      <>
        <Header application={application} conversation={undefined} />
        <Empty testId="no-conversation" icon={MessagesSquare} title="Conversation not found">
          It may be older than the retention time, or have been erased.
        </Empty>
      </>
    );
  }
  const channel = channels?.find(({ name }) => name === conversation?.channel);
  return (
    <>
      <Header application={application} conversation={conversation} />
      {error && !conversation && (
        <ProblemNotice error={error} onRetry={() => void refetch()} className="m-3" />
      )}
      {conversation ? (
        <>
          <Entries application={application} conversation={conversation} look={lookOf(channel)} />
          <Reply application={application} conversation={conversation} channel={channel} />
        </>
      ) : (
        !error && <Loading />
      )}
    </>
  );
}

/** Marks an opened conversation as read once the page is visible. */
function useReading(application: number, conversation: Conversation | undefined): void {
  const { mutate } = useMarkRead(application);
  const id = conversation?.id;
  const isUnread = conversation !== undefined && conversation.unread > 0;
  useEffect(() => {
    if (id === undefined || !isUnread) return undefined;
    const read = () => {
      if (document.visibilityState === 'visible') mutate(id);
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [id, isUnread, mutate]);
}

interface HeaderProps {
  application: number;
  conversation: Conversation | undefined;
}

function Header({ application, conversation }: HeaderProps) {
  const { q } = useSearch({ from: '/app/framed/applications/$application/conversations' });
  return (
    <header className="flex items-center gap-2 border-b border-line px-3 py-2">
      <Button asChild look="quiet" size="icon" className="lg:hidden">
        <Link
          to="/app/applications/$application/conversations"
          params={{ application: String(application) }}
          search={q === undefined ? {} : { q }}
          data-testid="back"
          aria-label="Back to all conversations"
        >
          <ArrowLeft aria-hidden />
        </Link>
      </Button>
      {conversation ? (
        <div className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] gap-0.5">
          <h2 data-testid="with" className="truncate font-semibold">
            {conversationName(conversation)}
          </h2>
          <p className="flex min-w-0 flex-wrap items-center gap-x-3 text-xs text-ink-soft">
            <span className="max-w-full min-w-0 max-sm:[&_.truncate]:whitespace-nowrap!">
              <IntegrationName
                compact
                application={application}
                id={conversation.integration_id}
                channel={conversation.channel}
              />
            </span>
            {conversationName(conversation) !== conversation.to && (
              <Copyable text={conversation.to} />
            )}
          </p>
        </div>
      ) : (
        <Skeleton className="h-9 w-40" />
      )}
      {conversation && <ContactLink application={application} conversation={conversation} />}
    </header>
  );
}

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const dayOf = ({ at }: ShownEntry) => dayFormat.format(parseTime(at));

interface EntriesProps {
  application: number;
  conversation: Conversation;
  look: ReturnType<typeof lookOf>;
}

function Entries({ application, conversation, look }: EntriesProps) {
  const query = useInfiniteQuery(entriesQuery(application, conversation.id));
  const { data, error, isPending, isLoadingError, hasNextPage, isFetchingNextPage } = query;
  const entries = useMemo(() => shownEntries(itemsOf(data, ENTRY_ORDER.keyOf)), [data]);
  if (isLoadingError) {
    return <ProblemNotice error={error} onRetry={() => void query.refetch()} className="m-3" />;
  }
  if (isPending) return <Loading />;
  return (
    // Laid out in reverse, the box stays at the newest entry when entries are added at either end.
    <div
      data-testid="timeline"
      role="log"
      aria-label="Messages"
      tabIndex={0}
      className="flex min-h-0 flex-1 flex-col-reverse overflow-y-auto bg-sunken -outline-offset-2"
    >
      <div>
        {hasNextPage && (
          <Earlier busy={isFetchingNextPage} onReach={() => void query.fetchNextPage()} />
        )}
        <ol
          data-look={look}
          className="grid grid-cols-[minmax(0,1fr)] content-start gap-3 px-3 py-4 sm:px-4"
        >
          {entries.map((entry, i) => {
            const day = dayOf(entry);
            const before = entries[i - 1];
            return (
              <Fragment key={entry.id}>
                {(!before || dayOf(before) !== day) && (
                  <li className="py-1 text-center text-xs text-ink-soft">{day}</li>
                )}
                <Entry
                  application={application}
                  look={look}
                  name={conversationName(conversation)}
                  entry={entry}
                />
              </Fragment>
            );
          })}
        </ol>
      </div>
    </div>
  );
}

/** Loads earlier messages when it is scrolled to. */
function Earlier({ busy, onReach }: { busy: boolean; onReach(): void }) {
  const ref = useRef<HTMLDivElement>(null);
  const reach = useEffectEvent(onReach);
  useEffect(() => {
    const element = ref.current;
    if (!element || busy) return undefined;
    const observer = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) reach();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [busy]);
  return (
    <div ref={ref} className="p-3 text-center">
      <Button data-testid="earlier" size="sm" look="quiet" busy={busy} onClick={onReach}>
        Load earlier messages
      </Button>
    </div>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading" className="grid flex-1 content-end gap-3 p-4">
      <Skeleton className="h-10 w-2/5 rounded-lg" />
      <Skeleton className="h-10 w-1/2 justify-self-end rounded-lg" />
      <Skeleton className="h-14 w-3/5 rounded-lg" />
    </div>
  );
}
