import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, type LucideIcon } from 'lucide-react';

import type { Message, MessageDetail } from '../api/types.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { Time } from '../ui/time.tsx';
import { activityLine } from './activity-text.ts';
import { adjacentMessagesQuery } from './queries.ts';
import { StateBadge } from './state.tsx';

interface AdjacentMessagesProps {
  application: number;
  message: MessageDetail;
}

/** The messages before and after this one, to the same recipient through the same integration. */
export function AdjacentMessages({ application, message }: AdjacentMessagesProps) {
  const { id, to, integration_id: integration } = message;
  const { data, error } = useQuery(adjacentMessagesQuery(application, { id, to, integration }));
  if (error) return null;
  return (
    <Section
      title="Same recipient"
      flush
      actions={
        <Button asChild size="sm">
          <Link
            to="/app/applications/$application/messages"
            params={{ application: String(application) }}
            search={{ to, integration }}
          >
            Show all
          </Link>
        </Button>
      }
    >
      {data ? (
        <ul data-testid="adjacent-messages" className="divide-y divide-line">
          <Neighbor place="next" icon={ArrowUp} message={data.next} />
          <Neighbor place="previous" icon={ArrowDown} message={data.previous} />
        </ul>
      ) : (
        <Skeleton className="m-4 h-16" />
      )}
    </Section>
  );
}

interface NeighborProps {
  place: 'previous' | 'next';
  icon: LucideIcon;
  message: Message | undefined;
}

function Neighbor({ place, icon: Icon, message }: NeighborProps) {
  const label = place === 'next' ? 'Next' : 'Previous';
  if (!message)
    return (
      <li
        data-neighbor={place}
        className="flex items-center gap-3 px-4 py-2.5 text-sm text-ink-faint"
      >
        <Icon className="size-4 shrink-0" aria-hidden />
        {place === 'next' ? 'No later message' : 'No earlier message'}
      </li>
    );
  return (
    <li data-neighbor={place}>
      <Link
        to="/app/applications/$application/messages/$message"
        params={{ application: String(message.application_id), message: String(message.id) }}
        className="flex items-center gap-3 px-4 py-2.5 text-sm -outline-offset-2 hover:bg-hover"
      >
        <Icon className="size-4 shrink-0 text-ink-faint" aria-hidden />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="sr-only">{label}:</span>
            <span className="truncate">{activityLine(message.message) || 'No text'}</span>
            <Time
              at={message.created_at}
              className="ml-auto shrink-0 text-xs text-ink-faint tabular"
            />
          </span>
          <span className="mt-0.5 flex items-center gap-2 text-xs text-ink-faint">
            <StateBadge state={message.state} />
            <span className="font-mono">{message.id}</span>
          </span>
        </span>
      </Link>
    </li>
  );
}
