import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';

import { ShownRows } from './shown-rows.tsx';
import { type LongListProps, useLoadMore, useRowKey } from './use-rows.ts';

/** The size assumed before the box is measured. */
const INITIAL_RECT = { width: 320, height: 800 };

/** A long list in a box that scrolls by itself; only visible rows are in the DOM. */
export function ScrollingRows<Item>(props: LongListProps<Item>) {
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
      <ShownRows label={label} items={items} rows={rows} shown={shown} renderRow={renderRow} />
    </div>
  );
}
