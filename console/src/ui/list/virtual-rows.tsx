import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

import { type MoreRows, moveBetweenRows, useLoadMore, useRowKey } from './use-rows.ts';

export interface VirtualRowsProps<Item> extends MoreRows {
  /** Accessible name. */
  label: string;
  items: readonly Item[];
  keyOf(item: Item): number;
  /** Row height in pixels; rows are laid out without measuring, unless `measured`. */
  height: number;
  /** Rows are as high as their content, and at least `height`. */
  measured?: boolean;
  /** A row has one link or button with `data-row`; the arrow keys move between them. */
  renderRow(item: Item): ReactNode;
}

/** A long list; only visible rows are in the DOM. */
export function VirtualRows<Item>(props: VirtualRowsProps<Item>) {
  const { label, items, keyOf, height, measured = false, renderRow } = props;
  const ref = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const box = ref.current?.getBoundingClientRect();
    if (box) setTop(box.top + window.scrollY);
  }, [height]);
  const getItemKey = useRowKey(items, keyOf);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: top,
    getItemKey,
  });
  useEffect(() => rows.measure(), [rows, height, measured]);
  const shown = rows.getVirtualItems();
  useLoadMore(props, shown.at(-1)?.index ?? 0, items.length);

  return (
    <ul
      ref={ref}
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
              ref={measured ? rows.measureElement : undefined}
              data-index={index}
              className="absolute inset-x-0 top-0 border-b border-line last:border-b-0"
              style={{
                ...(measured ? { minHeight: height } : { height: size }),
                transform: `translateY(${start - top}px)`,
              }}
            >
              {renderRow(item)}
            </li>
          )
        );
      })}
    </ul>
  );
}
