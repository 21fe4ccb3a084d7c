import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

export interface VirtualRowsProps<Item> {
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
  hasMore: boolean;
  isLoading: boolean;
  onLoadMore(): void;
}

/** Fetch the next page this many rows before the end, so that scrolling rarely waits. */
const PREFETCH_ROWS = 50;

/** A long list; only visible rows are in the DOM. */
export function VirtualRows<Item>(props: VirtualRowsProps<Item>) {
  const { label, items, keyOf, height, measured = false, renderRow } = props;
  const { hasMore, isLoading, onLoadMore } = props;
  const ref = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const box = ref.current?.getBoundingClientRect();
    if (box) setTop(box.top + window.scrollY);
  }, [height]);
  // A new function would lay out all rows again on every scroll frame.
  const getItemKey = useCallback(
    (index: number) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    [items, keyOf],
  );
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: top,
    getItemKey,
  });
  useEffect(() => rows.measure(), [rows, height, measured]);
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const shouldLoadMore = hasMore && !isLoading && last >= items.length - PREFETCH_ROWS;
  useEffect(() => {
    if (shouldLoadMore) onLoadMore();
  }, [shouldLoadMore, onLoadMore]);

  /** Arrow keys, j and k move between rows. */
  function move(event: KeyboardEvent) {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const current = (event.target as HTMLElement).closest('li');
    if (step === undefined || !current || event.metaKey || event.ctrlKey || event.altKey) return;
    const index = Number(current.dataset['index']) + step;
    const next = ref.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row]`);
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  return (
    <ul
      ref={ref}
      aria-label={label}
      className="relative"
      style={{ height: rows.getTotalSize() }}
      onKeyDown={move}
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
