import { Link } from '@tanstack/react-router';

import type { Message } from '../api/types.ts';
import { ChannelMark } from '../integrations/channel-mark.tsx';
import { Moment } from '../ui/moment.tsx';
import { activityText } from './activity-text.ts';
import { StateBadge } from './state.tsx';

/** How high a row is, in pixels: they are laid out without being measured. */
export const ROW = { desktop: 41, phone: 66 };

export const COLUMNS = 'grid-cols-[6.5rem_minmax(0,1fr)_minmax(0,12rem)_8.5rem_6rem_4.5rem]';

export interface MessageRowProps {
  message: Message;
  channel: string | undefined;
  isPhone: boolean;
}

export function MessageRow({ message, channel, isPhone }: MessageRowProps) {
  const { id, state, to, created_at, error } = message;
  const said = activityText(message.message);
  const shown = (
    <span className="truncate">{said || <i className="text-ink-faint">no text</i>}</span>
  );
  const link = {
    to: '/app/applications/$application/messages/$message',
    params: { application: String(message.application_id), message: String(id) },
  } as const;
  if (isPhone) {
    return (
      <Link
        {...link}
        data-row
        className="flex h-full flex-col justify-center gap-1 px-3 text-sm -outline-offset-2 active:bg-hover"
      >
        <span className="flex items-center gap-2">
          {shown}
          <Moment at={created_at} className="ml-auto shrink-0 text-xs text-ink-faint" />
        </span>
        <span className="flex items-center gap-2 text-xs text-ink-soft">
          <StateBadge state={state} />
          {channel !== undefined && <ChannelMark name={channel} />}
          <span className="truncate">{to}</span>
        </span>
      </Link>
    );
  }
  return (
    <Link
      {...link}
      data-row
      className={`grid h-full items-center gap-3 px-3 text-sm -outline-offset-2 hover:bg-hover ${COLUMNS}`}
    >
      <StateBadge state={state} />
      <span className="flex min-w-0 items-baseline gap-2">
        {shown}
        {error !== null && (
          <span className="hidden shrink-[3] truncate text-xs text-ink-faint lg:inline">
            {error.title}
          </span>
        )}
      </span>
      <span className="truncate font-mono text-xs text-ink-soft">{to}</span>
      <span className="flex min-w-0 items-center gap-1.5 text-ink-soft">
        {channel !== undefined && <ChannelMark name={channel} />}
        <span className="truncate">{channel ?? 'deleted'}</span>
      </span>
      <span className="truncate font-mono text-xs text-ink-faint">{id}</span>
      <Moment at={created_at} className="text-right text-xs text-ink-faint tabular" />
    </Link>
  );
}
