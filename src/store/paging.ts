import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

import { type Id, NO_ID } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';

/** Which part of a list is wanted. Lists go from the newest to the oldest, by creation, then id. */
export interface PageRequest {
  limit: number;
  startingAfter?: Id;
  endingBefore?: Id;
}

export interface Page<Item> {
  items: Item[];
  /** Whether there is more after the last item. */
  older: boolean;
  /** Whether there is more before the first item. */
  newer: boolean;
}

interface Listed {
  id: Id;
  createdAt: Millis;
}

/**
 * Answers one page of a list. `all` selects everything of its owner, `wanted` what of it is asked for: a
 * cursor stays good when the item it names is no longer wanted, and even when it is gone.
 */
export async function page<DB, TB extends keyof DB, Row extends Listed>(
  all: SelectQueryBuilder<DB, TB, Row>,
  request: PageRequest,
  wanted: SelectQueryBuilder<DB, TB, Row> = all,
): Promise<Page<Row>> {
  const { limit } = request;
  const backwards = isBackwards(request);
  const cursor = request.startingAfter ?? request.endingBefore;
  if (cursor === NO_ID) return { items: [], older: false, newer: false };
  const beyond = cursor === undefined ? undefined : await beyondCursor(all, cursor, backwards);
  const direction = backwards ? 'asc' : 'desc';
  const rows = await (beyond ? wanted.where(beyond) : wanted)
    .orderBy(sql.ref('created_at'), direction)
    .orderBy(sql.ref('id'), direction)
    .limit(limit + 1)
    .execute();
  const more = rows.length > limit;
  const items = rows.slice(0, limit);
  if (backwards) items.reverse();
  return {
    items,
    older: backwards ? items.length > 0 : more,
    newer: backwards ? more : cursor !== undefined && items.length > 0,
  };
}

/** One page of lists that have nothing in common, of which each has answered its own page. */
export function mergePages<Item extends Listed>(
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

/** Whether a page is the one before a cursor, so that it is filled from its end. */
export function isBackwards({ startingAfter, endingBefore }: PageRequest): boolean {
  return startingAfter === undefined && endingBefore !== undefined;
}

/** What lies beyond a cursor. When its item is gone, its number still tells: numbers go up with time. */
async function beyondCursor<DB, TB extends keyof DB, Row extends Listed>(
  all: SelectQueryBuilder<DB, TB, Row>,
  cursor: Id,
  backwards: boolean,
): Promise<Expression<SqlBool>> {
  const at = await all.where(sql<SqlBool>`id = ${cursor}`).executeTakeFirst();
  if (!at) return backwards ? sql<SqlBool>`id > ${cursor}` : sql<SqlBool>`id < ${cursor}`;
  return backwards
    ? sql<SqlBool>`(created_at, id) > (${at.createdAt}, ${at.id})`
    : sql<SqlBool>`(created_at, id) < (${at.createdAt}, ${at.id})`;
}
