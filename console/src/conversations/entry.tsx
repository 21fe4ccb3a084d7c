import { Link } from '@tanstack/react-router';
import { MousePointerClick } from 'lucide-react';

import { MessageFrame } from '../messages/look/frame.tsx';
import type { Look } from '../messages/look/look.ts';
import { STATES } from '../messages/state.tsx';
import { TONE_TEXT } from '../ui/badge.tsx';
import { cn } from '../ui/cn.ts';
import { Time, formatExact, parseTime } from '../ui/time.tsx';
import { EntryContent, subjectOf } from './entry-content.tsx';
import type { ShownEntry } from './shown-entries.ts';

export interface EntryProps {
  application: number;
  look: Look;
  /** The person or group. */
  name: string;
  entry: ShownEntry;
}

/** A message as the channel shows it, from the application's side. */
export function Entry(props: EntryProps) {
  const { application, entry, look, name } = props;
  const isOwn = entry.direction === 'out';
  const isMail = look === 'mail';
  return (
    <li data-testid={isOwn ? 'sent' : 'received'} data-entry={entry.id}>
      <MessageFrame
        look={look}
        side="application"
        isApplication={isOwn}
        author={isOwn ? 'You' : (entry.author ?? name)}
        sender={entry.author}
        correspondent={name}
        subject={isMail ? subjectOf(entry) : undefined}
        footer={<Footer {...props} />}
      >
        <EntryContent application={application} entry={entry} untitled={isMail} />
      </MessageFrame>
    </li>
  );
}

const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** The time; for a sent message, also its state and receipts. */
function Footer({ application, entry, look }: EntryProps) {
  const { direction, at, message, event, isEdited, activity } = entry;
  const isRight = direction === 'out' && (look === 'bubbles' || look === 'sms');
  const millis = parseTime(at);
  const time = (
    <time dateTime={new Date(millis).toISOString()} title={formatExact(millis)} className="tabular">
      {timeFormat.format(millis)}
    </time>
  );
  return (
    <div
      className={cn(
        'flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-ink-soft',
        isRight && 'justify-end',
      )}
    >
      {direction === 'in' && isPress(activity) && (
        <span data-testid="press" className="inline-flex items-center gap-1">
          <MousePointerClick className="size-3.5" aria-hidden />
          Button pressed
        </span>
      )}
      {isEdited && <span data-testid="edited">Edited</span>}
      {message ? (
        <Link
          to="/app/applications/$application/messages/$message"
          params={{ application: String(application), message: String(message.id) }}
          className="rounded-sm hover:text-ink"
        >
          <span className="sr-only">Message {message.id}, </span>
          {time}
        </Link>
      ) : event ? (
        <Link
          to="/app/applications/$application/events/$event"
          params={{ application: String(application), event: String(event.id) }}
          className="rounded-sm hover:text-ink"
        >
          <span className="sr-only">Event {event.id}, </span>
          {time}
        </Link>
      ) : (
        time
      )}
      {message && <State message={message} />}
    </div>
  );
}

function State({ message }: { message: NonNullable<ShownEntry['message']> }) {
  const { state, error, delivered_at: deliveredAt, read_at: readAt, send_at: sendAt } = message;
  const { icon: Icon, label, tone, meaning } = STATES[state];
  const receipts = [
    deliveredAt !== null && `delivered ${formatExact(parseTime(deliveredAt))}`,
    readAt !== null && `read ${formatExact(parseTime(readAt))}`,
  ].filter((each) => each !== false);
  return (
    <>
      <span
        data-testid="state"
        data-state={state}
        title={receipts.length > 0 ? receipts.join(', ') : meaning}
        className={cn('inline-flex items-center gap-1', TONE_TEXT[tone])}
      >
        <Icon className="size-3.5" aria-hidden />
        {label}
      </span>
      {state === 'scheduled' && sendAt !== undefined && (
        <span>
          for <Time at={sendAt} exact />
        </span>
      )}
      {error !== null && <span className="text-bad">{error.title}</span>}
    </>
  );
}

/** Whether a received activity reports a pressed button. */
function isPress(activity: unknown): boolean {
  if (typeof activity !== 'object' || activity === null || !('actor' in activity)) return false;
  const object = 'object' in activity ? activity.object : undefined;
  if (typeof object !== 'object' || object === null || !('attachment' in object)) return false;
  const { attachment } = object;
  return (
    Array.isArray(attachment) &&
    attachment.some(
      (each: unknown) =>
        typeof each === 'object' && each !== null && 'type' in each && each.type === 'Button',
    )
  );
}
