import { type ReferenceExpression, type SelectQueryBuilder, sql } from 'kysely';

import type { Id } from '../model/id.ts';
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
 * Runs a query that selects everything the list may hold, and answers one page of it. A cursor that is
 * not in that list answers an empty page.
 */
export async function page<DB, TB extends keyof DB, Row extends Listed>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { limit, startingAfter, endingBefore }: PageRequest,
): Promise<Page<Row>> {
  const id = sql.ref('id') as unknown as ReferenceExpression<DB, TB>;
  const backwards = startingAfter === undefined && endingBefore !== undefined;
  const cursor = startingAfter ?? endingBefore;
  let wanted = query;
  if (cursor !== undefined) {
    const at = await query.where(id, '=', cursor as never).executeTakeFirst();
    if (!at) return { items: [], older: false, newer: false };
    wanted = backwards
      ? query.where(sql<boolean>`(created_at, id) > (${at.createdAt}, ${at.id})`)
      : query.where(sql<boolean>`(created_at, id) < (${at.createdAt}, ${at.id})`);
  }
  const direction = backwards ? 'asc' : 'desc';
  const rows = await wanted
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
