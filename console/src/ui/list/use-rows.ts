import { type ReactNode, useCallback, useEffect } from 'react';

/* What long lists have in common, whether the window or a box scrolls. */

/** A stable function for the keys of rows: a new one would lay out all rows again on every scroll frame. */
export function useRowKey<Item>(items: readonly Item[], keyOf: (item: Item) => number) {
  return useCallback(
    (index: number) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    [items, keyOf],
  );
}

/** Fetch the next page this many rows before the end, so that scrolling rarely waits. */
const PREFETCH_ROWS = 50;

/** Properties of a long list, whether the window or a box scrolls. */
export interface LongListProps<Item> extends MoreRows {
  /** Accessible name. */
  label: string;
  items: readonly Item[];
  keyOf(item: Item): number;
  /** Row height in pixels; rows are laid out without measuring, unless the list measures them. */
  height: number;
  /** A row has one link or button with `data-row`; the arrow keys move between them. */
  renderRow(item: Item): ReactNode;
}

interface MoreRows {
  hasMore: boolean;
  isLoading: boolean;
  onLoadMore(): void;
}

/** Loads the next page when the last row shown is near the end. */
export function useLoadMore(
  { hasMore, isLoading, onLoadMore }: MoreRows,
  last: number,
  count: number,
): void {
  const shouldLoadMore = hasMore && !isLoading && last >= count - PREFETCH_ROWS;
  useEffect(() => {
    if (shouldLoadMore) onLoadMore();
  }, [shouldLoadMore, onLoadMore]);
}
