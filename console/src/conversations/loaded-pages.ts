/* Lists whose newest items are fetched again when something changes, while older pages stay. */

export interface LoadedPage<Item, Cursor> {
  items: Item[];
  next: Cursor | undefined;
}

/** The data of an infinite query. */
export interface LoadedPages<Item, Cursor> {
  pages: LoadedPage<Item, Cursor>[];
  pageParams: (Cursor | undefined)[];
}

export interface ListOrder<Item> {
  keyOf(item: Item): string | number;
  /** Whether an item comes after another one in the list. */
  isOlder(item: Item, than: Item): boolean;
  /** Whether an item is still at its place. */
  isUnchanged(before: Item, now: Item): boolean;
}

/**
 * Merges a newer first page with the loaded ones. If it shares no unchanged item with them, items may be missing in
 * between, and only the new page is kept.
 */
export function withTop<Item, Cursor>(
  loaded: LoadedPages<Item, Cursor>,
  top: LoadedPage<Item, Cursor>,
  { keyOf, isOlder, isUnchanged }: ListOrder<Item>,
): LoadedPages<Item, Cursor> {
  const only = { pages: [top], pageParams: [undefined] };
  const last = top.items.at(-1);
  if (!last || top.next === undefined) return only;
  const fresh = new Map(top.items.map((item) => [keyOf(item), item]));
  const all = loaded.pages.flatMap(({ items }) => items);
  const overlaps = all.some((item) => {
    const now = fresh.get(keyOf(item));
    return now !== undefined && isUnchanged(item, now);
  });
  const older = all.filter((item) => !fresh.has(keyOf(item)) && isOlder(item, last));
  if (!overlaps || older.length === 0) return only;
  const next = loaded.pages.at(-1)?.next;
  return { pages: [top, { items: older, next }], pageParams: [undefined, top.next] };
}

/** All items of the pages. One that moved while pages were fetched is listed once. */
export function itemsOf<Item, Cursor>(
  pages: LoadedPages<Item, Cursor> | undefined,
  keyOf: ListOrder<Item>['keyOf'],
): Item[] {
  const all = new Map<string | number, Item>();
  for (const item of pages?.pages.flatMap(({ items }) => items) ?? []) {
    if (!all.has(keyOf(item))) all.set(keyOf(item), item);
  }
  return [...all.values()];
}
