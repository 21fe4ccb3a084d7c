import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual';
import type { KeyboardEvent, ReactNode, Ref } from 'react';

interface ShownRowsProps<Item, Scroller extends Element | Window> {
  label: string;
  ref?: Ref<HTMLUListElement>;
  items: readonly Item[];
  rows: Virtualizer<Scroller, Element>;
  shown: readonly VirtualItem[];
  /** Offset of the list in the element that scrolls. */
  top?: number;
  /** Set if rows are as high as their content. */
  minHeight?: number | undefined;
  renderRow(item: Item): ReactNode;
}

/** The rows of a long list that are in the DOM, each at its place. */
export function ShownRows<Item, Scroller extends Element | Window>(
  props: ShownRowsProps<Item, Scroller>,
) {
  const { label, ref, items, rows, shown, top = 0, minHeight, renderRow } = props;
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
              ref={minHeight === undefined ? undefined : rows.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0 border-b border-line last:border-b-0"
              style={{
                ...(minHeight === undefined ? { height: size } : { minHeight }),
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

/** Arrow keys, j and k move between rows. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
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
