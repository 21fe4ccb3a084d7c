import { useParams, useSearch } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';

import { useApplicationId } from '../applications/application.ts';
import { idIn } from '../applications/queries.ts';
import { cn } from '../ui/cn.ts';
import { Empty } from '../ui/list/empty.tsx';
import { Page } from '../ui/page.tsx';
import { useSearchText } from '../ui/use-settled.ts';
import { ConversationList } from './conversation-list.tsx';
import { useLiveConversations } from './live.ts';
import { Thread } from './thread.tsx';

/** The list of conversations beside the opened one; on phones, one of the two. */
export function ConversationsPage() {
  const application = useApplicationId();
  const { q = '' } = useSearch({ from: '/app/framed/applications/$application/conversations' });
  const { conversation } = useParams({ strict: false });
  const opened = idIn(conversation);
  const search = useSearchText(q);
  useLiveConversations({ application, search, opened });
  return (
    <Page title="Conversations" name="Conversations">
      <div className="grid h-[calc(100dvh-7rem)] min-h-96 grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] overflow-hidden rounded-lg border border-line bg-surface max-lg:h-[calc(100dvh-9rem)] lg:grid-cols-[20rem_minmax(0,1fr)]">
        <section
          aria-label="List"
          className={cn(
            'flex min-h-0 flex-col lg:border-r lg:border-line',
            conversation !== undefined && 'max-lg:hidden',
          )}
        >
          <ConversationList key={application} application={application} q={q} search={search} />
        </section>
        <section
          aria-label="Conversation"
          className={cn('flex min-h-0 flex-col', conversation === undefined && 'max-lg:hidden')}
        >
          {conversation === undefined ? (
            <Empty icon={MessagesSquare} title="No conversation selected" className="m-auto">
              Select one to read it and reply.
            </Empty>
          ) : (
            <Thread key={conversation} application={application} id={opened ?? 0} />
          )}
        </section>
      </div>
    </Page>
  );
}
