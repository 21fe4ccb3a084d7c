import type { FeedEvent } from '../api/types.ts';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { PhoneRow, WideRow } from '../ui/list/rows.tsx';
import { Time } from '../ui/time.tsx';
import { EventBadge } from './event-badge.tsx';
import { factsOf } from './event-data.ts';
import { TYPES } from './event-type.ts';

export const COLUMNS =
  'grid-cols-[11.5rem_minmax(0,11rem)_minmax(8rem,1fr)_minmax(0,13rem)_4rem_4.5rem]';

interface EventRowProps {
  application: number;
  event: FeedEvent;
  /** Channel name by integration id. */
  channels: ReadonlyMap<number, string>;
  isPhone: boolean;
}

export function EventRow({ application, event, channels, isPhone }: EventRowProps) {
  const { id, type, timestamp } = event;
  const { text, actor, group, to, message, ...via } = factsOf(event);
  const channel = via.channel ?? (via.integration && channels.get(via.integration));
  const link = {
    to: '/app/applications/$application/events/$event',
    params: { application: String(application), event: String(id) },
  } as const;
  const contact = actor ? (actor.name ?? actor.id) : to;
  // When a person joins or leaves, the text repeats the name.
  const content =
    (!type.startsWith('member.') && text) ||
    (message === undefined ? TYPES[type].label : `Message ${message}`);
  if (isPhone) {
    return (
      <PhoneRow link={link} title={content} at={timestamp}>
        <EventBadge type={type} />
        <span className="truncate">{contact}</span>
      </PhoneRow>
    );
  }
  return (
    <WideRow link={link} columns={COLUMNS}>
      <span className="min-w-0">
        <EventBadge type={type} />
      </span>
      <span className="truncate text-ink-soft">
        {contact}
        {group && <span className="text-ink-faint"> in {group.name ?? group.id}</span>}
      </span>
      <span className="truncate">{content}</span>
      <span className="flex min-w-0 items-center gap-1.5 text-ink-soft">
        {via.integration !== undefined && (
          <IntegrationName
            compact
            application={application}
            id={via.integration}
            channel={channel || undefined}
            sandbox={via.sandbox}
          />
        )}
      </span>
      <span className="truncate text-right font-mono text-xs text-ink-faint">{id}</span>
      <Time at={timestamp} className="text-right text-xs text-ink-faint tabular" />
    </WideRow>
  );
}
