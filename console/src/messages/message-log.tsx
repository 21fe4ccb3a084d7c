import type { Message } from '../api/types.ts';
import { ROW_HEIGHT, RowsHead } from '../ui/list/rows.tsx';
import { VirtualRows } from '../ui/list/virtual-rows.tsx';
import { PHONE, useMedia } from '../ui/media.ts';
import { COLUMNS, MessageRow } from './message-row.tsx';

interface MessageLogProps {
  messages: readonly Message[];
  /** Channel name by integration id. */
  channels: ReadonlyMap<number, string>;
  /** Shows the whole reason of each failure. */
  withReasons: boolean;
  hasMore: boolean;
  isLoading: boolean;
  onLoadMore(): void;
}

export function MessageLog({
  messages,
  channels,
  withReasons,
  hasMore,
  isLoading,
  onLoadMore,
}: MessageLogProps) {
  const isPhone = useMedia(PHONE);
  return (
    <>
      {!isPhone && (
        <RowsHead columns={COLUMNS}>
          <span>State</span>
          <span>Message</span>
          <span>Recipient</span>
          <span>Integration</span>
          <span>Id</span>
          <span className="text-right">Accepted</span>
        </RowsHead>
      )}
      <VirtualRows
        label="Messages"
        items={messages}
        keyOf={({ id }) => id}
        height={isPhone ? ROW_HEIGHT.phone : ROW_HEIGHT.desktop}
        measured={withReasons}
        renderRow={(message) => (
          <MessageRow
            message={message}
            channel={channels.get(message.integration_id)}
            isPhone={isPhone}
            withReason={withReasons}
          />
        )}
        hasMore={hasMore}
        isLoading={isLoading}
        onLoadMore={onLoadMore}
      />
      <p
        data-testid="list-end"
        data-count={hasMore ? undefined : messages.length}
        className="border-t border-line px-3 py-2 text-center text-xs text-ink-faint"
      >
        {hasMore
          ? 'Loading older messages…'
          : `${messages.length.toLocaleString()} ${messages.length === 1 ? 'message' : 'messages'}`}
      </p>
    </>
  );
}
