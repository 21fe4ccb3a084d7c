import { Link } from '@tanstack/react-router';
import { memo } from 'react';

import type { Conversation } from '../api/types.ts';
import { ChannelMark } from '../integrations/channel-mark.tsx';
import { STATES } from '../messages/state.tsx';
import { TONE_TEXT } from '../ui/badge.tsx';
import { cn } from '../ui/cn.ts';
import { Time } from '../ui/time.tsx';
import { conversationName } from './conversation-name.ts';

export const ROW_HEIGHT = 65;

interface ConversationRowProps {
  application: number;
  conversation: Conversation;
  search: string;
}

/** Memoized: while scrolling, most rows do not change. */
export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { application, conversation, search } = props;
  const { id, channel, unread, last, last_at: lastAt } = conversation;
  const isUnread = unread > 0;
  return (
    <Link
      to="/app/applications/$application/conversations/$conversation"
      params={{ application: String(application), conversation: String(id) }}
      search={search === '' ? {} : { q: search }}
      data-row
      data-unread={isUnread ? unread : undefined}
      className="flex h-full items-center gap-3 px-3 text-sm -outline-offset-2 hover:bg-hover aria-[current=page]:bg-accent-soft"
    >
      <ChannelMark name={channel} size="lg" />
      <span className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] gap-0.5">
        <span className="flex items-baseline gap-2">
          <span
            className={cn('min-w-0 flex-1 truncate', isUnread ? 'font-semibold' : 'font-medium')}
          >
            {conversationName(conversation)}
          </span>
          <Time at={lastAt} className="shrink-0 text-xs text-ink-faint tabular" />
        </span>
        <span className="flex items-center gap-2">
          <span className={cn('min-w-0 flex-1 truncate', isUnread ? 'text-ink' : 'text-ink-faint')}>
            <LastText last={last} />
          </span>
          {isUnread && (
            <span
              data-testid="unread"
              className="shrink-0 rounded-full bg-accent px-1.5 text-xs font-medium text-white tabular"
            >
              {unread > 99 ? '99+' : unread}
              <span className="sr-only"> unread</span>
            </span>
          )}
        </span>
      </span>
    </Link>
  );
});

function LastText({ last }: Pick<Conversation, 'last'>) {
  if (last === null) return <i>No longer stored</i>;
  const text = last.text ?? <i>No text</i>;
  if (last.direction === 'in') return text;
  const state = last.state && STATES[last.state];
  const isBad = last.state === 'failed' || last.state === 'uncertain';
  return (
    <>
      {state && isBad && <span className={TONE_TEXT[state.tone]}>{state.label}: </span>}
      {!isBad && 'You: '}
      {text}
    </>
  );
}
