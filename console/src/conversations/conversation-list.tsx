import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { FlaskConical, MessagesSquare, SearchX } from 'lucide-react';
import { useCallback, useMemo } from 'react';

import type { Conversation } from '../api/types.ts';
import { compact } from '../frame/search.ts';
import { Button } from '../ui/form/button.tsx';
import { SearchInput } from '../ui/form/input.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { ScrollingRows } from '../ui/list/scrolling-rows.tsx';
import { SkeletonRows } from '../ui/list/skeleton.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { ConversationRow, ROW_HEIGHT } from './conversation-row.tsx';
import { itemsOf } from './loaded-pages.ts';
import { CONVERSATION_ORDER, conversationsQuery, isBuilding } from './queries.ts';

interface ConversationListProps {
  application: number;
  /** As typed. */
  q: string;
  /** As searched for. */
  search: string;
}

const keyOf = ({ id }: Conversation) => id;

/** The conversations of the application, most recent message first. */
export function ConversationList({ application, q, search }: ConversationListProps) {
  const navigate = useNavigate();
  const query = useInfiniteQuery(conversationsQuery(application, search));
  const { data, error, failureReason, isPending, isLoadingError, refetch, fetchNextPage } = query;
  const items = useMemo(() => itemsOf(data, CONVERSATION_ORDER.keyOf), [data]);
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="border-b border-line p-2">
        <SearchInput
          data-testid="search"
          aria-label="Search by name, address or external id"
          placeholder="Name, address or external id"
          className="w-full"
          value={q}
          onValue={(value) =>
            void navigate({ to: '.', search: compact({ q: value }), replace: true })
          }
        />
      </div>
      {isLoadingError ? (
        <ProblemNotice error={error} onRetry={() => void refetch()} className="m-3" />
      ) : isPending ? (
        <>
          {isBuilding(failureReason) && (
            <Notice testId="building" role="status" className="m-3" title="Preparing conversations">
              The first time, all events of the application are read.
            </Notice>
          )}
          <SkeletonRows count={8} className="h-16" />
        </>
      ) : items.length > 0 ? (
        <ScrollingRows
          label="Conversations"
          items={items}
          keyOf={keyOf}
          height={ROW_HEIGHT}
          renderRow={(conversation) => (
            <ConversationRow
              application={application}
              conversation={conversation}
              search={search}
            />
          )}
          hasMore={query.hasNextPage}
          isLoading={query.isFetching}
          onLoadMore={loadMore}
        />
      ) : search === '' ? (
        <NoConversations application={application} />
      ) : (
        <Empty testId="no-match" icon={SearchX} title="No matches">
          Search matches the beginning of a name, an address or an external id.
        </Empty>
      )}
    </div>
  );
}

function NoConversations({ application }: { application: number }) {
  return (
    <Empty
      testId="no-conversations"
      icon={MessagesSquare}
      title="No conversations yet"
      actions={
        <Button asChild look="primary">
          <Link
            to="/app/applications/$application/playground"
            params={{ application: String(application) }}
          >
            <FlaskConical aria-hidden />
            Send a message
          </Link>
        </Button>
      }
    >
      A conversation appears here with the first message to or from a person.
    </Empty>
  );
}
