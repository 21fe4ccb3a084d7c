import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';

import { ShownRows } from './shown-rows.tsx';
import { type LongListProps, useLoadMore, useRowKey } from './use-rows.ts';

interface VirtualRowsProps<Item> extends LongListProps<Item> {
  /** Rows are as high as their content, and at least `height`. */
  measured?: boolean;
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
    <ShownRows
      ref={ref}
      label={label}
      items={items}
      rows={rows}
      shown={shown}
      top={top}
      minHeight={measured ? height : undefined}
      renderRow={renderRow}
    />
  );
}
