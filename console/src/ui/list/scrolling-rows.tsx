import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

import { type MoreRows, moveBetweenRows, useLoadMore, useRowKey } from './use-rows.ts';

export interface ScrollingRowsProps<Item> extends MoreRows {
  /** Accessible name. */
  label: string;
  items: readonly Item[];
  keyOf(item: Item): number;
  /** Row height in pixels; rows are laid out without measuring. */
  height: number;
  /** A row has one link or button with `data-row`; the arrow keys move between them. */
  renderRow(item: Item): ReactNode;
}

/** The size assumed before the box is measured. */
const INITIAL_RECT = { width: 320, height: 800 };

/** A long list in a box that scrolls by itself; only visible rows are in the DOM. */
export function ScrollingRows<Item>(props: ScrollingRowsProps<Item>) {
  const { label, items, keyOf, height, renderRow } = props;
  const box = useRef<HTMLDivElement>(null);
  const getItemKey = useRowKey(items, keyOf);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 8,
    initialRect: INITIAL_RECT,
    getItemKey,
  });
  const shown = rows.getVirtualItems();
  useLoadMore(props, shown.at(-1)?.index ?? 0, items.length);

  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto">
      <ul
        aria-label={label}
        className="relative"
        style={{ height: rows.getTotalSize() }}
        onKeyDown={moveBetweenRows}
      >
        {shown.map(({ index, key, size, start }) => {
          const item = items[index];
          return (
            item !== undefined && (
              <li
                key={key}
                data-index={index}
                className="absolute inset-x-0 top-0 border-b border-line"
                style={{ height: size, transform: `translateY(${start}px)` }}
              >
                {renderRow(item)}
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
