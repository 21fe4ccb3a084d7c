import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';

/** Selects a page. Lists go from newest to oldest, by creation time, then id. */
export interface PageRequest {
  limit: number;
  startingAfter?: Id;
  endingBefore?: Id;
}

export interface Page<Item> {
  items: Item[];
  /** Whether more follow the last item. */
  older: boolean;
  /** Whether more precede the first item. */
  newer: boolean;
}

interface ListedRow {
  id: Id;
  createdAt: Millis;
}

/**
 * Returns one page of a list. `all` selects everything of the owner, `wanted` applies the filter: a cursor stays
 * valid if its item no longer matches the filter, or was deleted.
 */
export async function page<
  DB,
  TB extends keyof DB,
  Row extends ListedRow,
  WB extends keyof DB = TB,
>(
  all: SelectQueryBuilder<DB, TB, Row>,
  request: PageRequest,
  wanted: SelectQueryBuilder<DB, TB, Row> = all,
  windows?: Windows<DB, WB>,
): Promise<Page<Row>> {
  const { limit } = request;
  const backwards = isBackwards(request);
  const cursor = request.startingAfter ?? request.endingBefore;
  const at = cursor === undefined ? undefined : await itemAt(all, cursor);
  const from = cursor === undefined || at ? wanted : wanted.where(beyondId(cursor, backwards));
  const rows = windows
    ? await inWindows(from, windows, limit + 1, backwards, at)
    : await ordered(at ? from.where(beyond(at, backwards)) : from, backwards)
        .limit(limit + 1)
        .execute();
  return pageOf(rows, request);
}

/** The page with these rows, which begin next to the cursor; one row more than the limit tells that more follow. */
export function pageOf<Row>(rows: readonly Row[], request: PageRequest): Page<Row> {
  const items = rows.slice(0, request.limit);
  const hasMore = rows.length > items.length;
  const hasItems = items.length > 0;
  return isBackwards(request)
    ? { items: items.toReversed(), older: hasItems, newer: hasMore }
    : { items, older: hasMore, newer: request.startingAfter !== undefined && hasItems };
}

/** For a filter without an index: the rows to scan, in windows. */
export interface Windows<DB, TB extends keyof DB> {
  rows: SelectQueryBuilder<DB, TB, ListedRow>;
  /** Rows scanned per statement. */
  size: number;
  /** The part of the list to scan, both ends exclusive. */
  createdAfter?: Millis | undefined;
  createdBefore?: Millis | undefined;
}

/**
 * The first matching rows beyond `start`, searched window by window. Matches may be rare or absent; a single
 * statement would scan everything, and in SQLite block all others meanwhile. Each statement has one lower and one
 * upper bound: given several, SQLite may choose the one that leaves the most rows.
 */
async function inWindows<DB, TB extends keyof DB, Row extends ListedRow, WB extends keyof DB>(
  wanted: SelectQueryBuilder<DB, TB, Row>,
  windows: Windows<DB, WB>,
  count: number,
  backwards: boolean,
  start: ListedRow | undefined,
): Promise<Row[]> {
  const { first, last } = ends(windows, backwards);
  const rows = last ? windows.rows.where(beyond(last, !backwards)) : windows.rows;
  const found: Row[] = [];
  for (let from = fartherOf(start, first, backwards); ;) {
    const after = from && beyond(from, backwards);
    const left = after ? rows.where(after) : rows;
    const end = await ordered(left, backwards).offset(windows.size).limit(1).executeTakeFirst();
    let window = after ? wanted.where(after) : wanted;
    if (end) window = window.where(upTo(end, backwards));
    else if (last) window = window.where(beyond(last, !backwards));
    const some = await ordered(window, backwards)
      .limit(count - found.length)
      .execute();
    found.push(...some);
    if (!end || found.length >= count) return found;
    from = end;
  }
}

/** The bounds before the first and after the last row, in the direction of the list. */
function ends<DB, TB extends keyof DB>(
  { createdAfter, createdBefore }: Windows<DB, TB>,
  backwards: boolean,
): { first?: ListedRow | undefined; last?: ListedRow | undefined } {
  const oldest = createdAfter === undefined ? undefined : { createdAt: createdAfter, id: MAX_ID };
  const newest = createdBefore === undefined ? undefined : { createdAt: createdBefore, id: 0 };
  return backwards ? { first: oldest, last: newest } : { first: newest, last: oldest };
}

const MAX_ID = Number.MAX_SAFE_INTEGER;

/** The later of two positions in a list. */
function fartherOf(
  one: ListedRow | undefined,
  other: ListedRow | undefined,
  backwards: boolean,
): ListedRow | undefined {
  if (!one || !other) return one ?? other;
  const isNewer = one.createdAt - other.createdAt || one.id - other.id;
  return isNewer > 0 === backwards ? one : other;
}

function ordered<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  backwards: boolean,
): SelectQueryBuilder<DB, TB, Row> {
  const direction = backwards ? 'asc' : 'desc';
  return query.orderBy(sql.ref('created_at'), direction).orderBy(sql.ref('id'), direction);
}

const upTo = ({ createdAt, id }: ListedRow, backwards: boolean) =>
  backwards
    ? sql<SqlBool>`(created_at, id) <= (${createdAt}, ${id})`
    : sql<SqlBool>`(created_at, id) >= (${createdAt}, ${id})`;

const beyond = ({ createdAt, id }: ListedRow, backwards: boolean) =>
  backwards
    ? sql<SqlBool>`(created_at, id) > (${createdAt}, ${id})`
    : sql<SqlBool>`(created_at, id) < (${createdAt}, ${id})`;

/** Merges pages of separate lists into one page. */
export function mergePages<Item extends ListedRow>(
  pages: readonly Page<Item>[],
  request: PageRequest,
): Page<Item> {
  const [only, ...others] = pages;
  if (only && others.length === 0) return only;
  const backwards = isBackwards(request);
  const all = pages
    .flatMap(({ items }) => items)
    .toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id);
  const items = backwards ? all.slice(-request.limit) : all.slice(0, request.limit);
  const cut = items.length < all.length;
  return {
    items,
    older: pages.some(({ older }) => older) || (cut && !backwards),
    newer: pages.some(({ newer }) => newer) || (cut && backwards),
  };
}

/** The items of a page that fit into `maxBytes`, at least one, starting next to the cursor. */
export function cutToBytes<Item extends { size: number }>(
  { items, older, newer }: Page<Item>,
  request: PageRequest,
  maxBytes: number,
): Page<Item> {
  const backwards = isBackwards(request);
  const nearest = backwards ? items.toReversed() : items;
  let bytes = 0;
  const end = nearest.findIndex(({ size }, i) => (bytes += size) > maxBytes && i > 0);
  if (end === -1) return { items, older, newer };
  return backwards
    ? { items: items.slice(-end), older, newer: true }
    : { items: items.slice(0, end), older: true, newer };
}

/** Whether the page precedes a cursor, so that it is filled from its end. */
export function isBackwards({ startingAfter, endingBefore }: PageRequest): boolean {
  return startingAfter === undefined && endingBefore !== undefined;
}

const itemAt = <DB, TB extends keyof DB, Row extends ListedRow>(
  all: SelectQueryBuilder<DB, TB, Row>,
  cursor: Id,
): Promise<Row | undefined> => all.where(sql<SqlBool>`id = ${cursor}`).executeTakeFirst();

/** If the cursor's item was deleted, its id still gives the position, because ids grow with time. */
const beyondId = (cursor: Id, backwards: boolean) =>
  backwards ? sql<SqlBool>`id > ${cursor}` : sql<SqlBool>`id < ${cursor}`;
