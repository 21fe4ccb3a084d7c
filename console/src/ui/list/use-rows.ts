import { type KeyboardEvent, useCallback, useEffect } from 'react';

/* What long lists have in common, whether the window or a box scrolls. */

/** A stable key of each row: a new function would lay out all rows again on every scroll frame. */
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

export interface MoreRows {
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

/** Arrow keys, j and k move between rows. */
export function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  const current = (event.target as HTMLElement).closest('li');
  if (step === undefined || !current || event.metaKey || event.ctrlKey || event.altKey) return;
  const index = Number(current.dataset['index']) + step;
  const list = event.currentTarget;
  const next = list.querySelector<HTMLElement>(`[data-index="${index}"] [data-row]`);
  if (!next) return;
  event.preventDefault();
  next.focus();
}
