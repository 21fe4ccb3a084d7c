import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';

import type { Message } from '../api/types.ts';
import { PHONE, useMedia } from '../ui/media.ts';
import { COLUMNS, MessageRow, ROW } from './message-row.tsx';

export interface MessageLogProps {
  messages: readonly Message[];
  /** The channel of each integration. */
  channels: ReadonlyMap<number, string>;
  isMore: boolean;
  isLoading: boolean;
  onMore(): void;
}

/** How many rows from the end more are asked for. */
const AHEAD = 20;

/** Rows of messages. However many there are, only those in sight are on the page. */
export function MessageLog({ messages, channels, isMore, isLoading, onMore }: MessageLogProps) {
  const isPhone = useMedia(PHONE);
  const ref = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const box = ref.current?.getBoundingClientRect();
    if (box) setTop(box.top + window.scrollY);
  }, [isPhone]);
  const height = isPhone ? ROW.phone : ROW.desktop;
  const rows = useWindowVirtualizer({
    count: messages.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => messages[index]?.id ?? index,
  });
  useEffect(() => rows.measure(), [rows, height]);
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const wantsMore = isMore && !isLoading && last >= messages.length - AHEAD;
  useEffect(() => {
    if (wantsMore) onMore();
  }, [wantsMore, onMore]);

  /** The arrows, and j and k, go from row to row. */
  function move(event: KeyboardEvent) {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const row = (event.target as HTMLElement).closest('li');
    if (step === undefined || !row || event.metaKey || event.ctrlKey || event.altKey) return;
    const index = Number(row.dataset['index']) + step;
    const next = ref.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row]`);
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  return (
    <>
      {!isPhone && (
        <div
          aria-hidden
          className={`grid gap-3 border-b border-line bg-sunken px-3 py-1.5 text-xs font-medium text-ink-faint ${COLUMNS}`}
        >
          <span>State</span>
          <span>Message</span>
          <span>To</span>
          <span>Via</span>
          <span>Id</span>
          <span className="text-right">Accepted</span>
        </div>
      )}
      <ul
        ref={ref}
        aria-label="Messages"
        className="relative"
        style={{ height: rows.getTotalSize() }}
        onKeyDown={move}
      >
        {shown.map(({ index, key, size, start }) => {
          const message = messages[index];
          return (
            message && (
              <li
                key={key}
                data-index={index}
                className="absolute inset-x-0 top-0 border-b border-line last:border-b-0"
                style={{ height: size, transform: `translateY(${start - top}px)` }}
              >
                <MessageRow
                  message={message}
                  channel={channels.get(message.integration_id)}
                  isPhone={isPhone}
                />
              </li>
            )
          );
        })}
      </ul>
      <p className="border-t border-line px-3 py-2 text-center text-xs text-ink-faint">
        {isMore ? 'Loading older messages…' : `${messages.length.toLocaleString()} in all`}
      </p>
    </>
  );
}
