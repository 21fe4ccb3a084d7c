import { memo } from 'react';

import { sentence } from '../api/problem.ts';
import type { Message } from '../api/types.ts';
import { ChannelMark } from '../integrations/channel-mark.tsx';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { cn } from '../ui/cn.ts';
import { PhoneRow, WideRow } from '../ui/list/rows.tsx';
import { Time } from '../ui/time.tsx';
import { activityLine } from './activity-text.ts';
import { StateBadge } from './state.tsx';

/** The text keeps its minimum where the recipient and the integration would take all the width. */
export const COLUMNS =
  'grid-cols-[6.5rem_minmax(9rem,1fr)_minmax(0,12rem)_minmax(0,13.5rem)_5rem_4.5rem]';

interface MessageRowProps {
  message: Message;
  channel: string | undefined;
  isPhone: boolean;
  /** Shows the whole reason of a failure, in a list that measures its rows. */
  withReason: boolean;
}

/** Memoized: while scrolling, most rows do not change. */
export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { message, channel, isPhone, withReason } = props;
  const { id, state, to, created_at, error } = message;
  const content = activityLine(message.message);
  const text = content || <i className="text-ink-faint">No text</i>;
  const link = {
    to: '/app/applications/$application/messages/$message',
    params: { application: String(message.application_id), message: String(id) },
  } as const;
  const hasTitle = error !== null && !withReason;
  const note = withReason && error !== null ? <Reason error={error} /> : undefined;
  if (isPhone) {
    return (
      <PhoneRow link={link} title={text} at={created_at} note={note}>
        <StateBadge state={state} />
        {channel !== undefined && <ChannelMark name={channel} />}
        <span className="truncate">{to}</span>
      </PhoneRow>
    );
  }
  return (
    <WideRow link={link} columns={COLUMNS} note={note}>
      <StateBadge state={state} />
      <span className="flex min-w-0 items-baseline gap-2">
        <span className={cn('truncate', hasTitle && 'lg:max-w-[75%] lg:shrink-0')}>{text}</span>
        {hasTitle && (
          <span className="hidden truncate text-xs text-ink-faint lg:inline">{error.title}</span>
        )}
      </span>
      <span className="truncate font-mono text-xs text-ink-soft">{to}</span>
      <span className="flex min-w-0 items-center gap-1.5 text-ink-soft">
        <IntegrationName
          compact
          application={message.application_id}
          id={message.integration_id}
          sandbox={message.sandbox === true}
        />
      </span>
      <span className="truncate font-mono text-xs text-ink-faint">{id}</span>
      <Time at={created_at} className="text-right text-xs text-ink-faint tabular" />
    </WideRow>
  );
});

function Reason({ error }: { error: NonNullable<Message['error']> }) {
  return (
    <p data-testid="reason" className="text-sm text-pretty wrap-anywhere text-ink-soft">
      <span className="font-medium text-ink">{sentence(error.title)}</span>
      {error.detail !== null && ` ${sentence(error.detail)}`}
    </p>
  );
}
